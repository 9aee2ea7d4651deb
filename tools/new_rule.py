"""The skeleton of a rule: ``make rule CODE=NPU790 NAME=spacy-on-gpu FAMILY=third-party``.

With ``KIND=procfile`` it is about the lines of files of a kind that ``make kind`` made.

Writes the module, the English messages and the row of the coverage table. The skeleton runs; what a person
must write is marked :data:`TODO`, and ``make check-rule CODE=NPU790`` fails until no mark is left.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import runpy
import sys
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.engine.registry import all_codes
from gpu2ascend_rules.engine.rule import Family
from gpu2ascend_rules.kinds.registry import all_kinds, kind_called

TODO = "TODO"
ROOT = Path(__file__).parents[1]
COLUMNS = ("id", "construct", "versions", "treatment", "rule_or_test", "source")
"""Those of the coverage tables."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MODULE = '''"""{code}: TODO, in a few words."""

from __future__ import annotations

from collections.abc import Iterator

{imports}


class {class_name}(Rule):
    """TODO: what is found, in one sentence.

    What it does: TODO: what it reports, and what it writes instead.

    Why it matters on the NPU: TODO: what happens there at run time.

    Example: TODO: ``package.function()`` becomes ``...``.

    Use instead: TODO: what to write by hand.
    """

    code = "{code}"
{body}'''
_IMPORTS = """from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Rule, on
from ...model.finding import Finding, Severity"""
_BODY = """{settings}    examples = (
        Example("import package\\npackage.function()\\n"),
        Example.unchanged("import package\\npackage.other()\\n"),
    )

    @on.name("package.function")
    def found(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "found", Severity.ERROR, api=ref.name)
"""
_IMPORTS_OF_PLACES = """from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.{module} import {place}
from ...model.finding import Finding, Severity"""
_BODY_OF_PLACES = """    words = ("{word}",)
    example_path = "{path}"
    examples = (Example("{found}"), Example.unchanged("{other}"))

    @on.place({place})
    def found(self, place: {place}, ctx: PlaceContext) -> Iterator[Finding]:
        if {text} == "{word}":
            yield self.report(place, "found", Severity.ERROR, name="{word}")
"""


class _Kind(NamedTuple):
    """What a rule about files of another kind than Python begins with."""

    module: str
    """Below ``kinds``, where the class of the place is."""
    place: str
    text: str
    """Where a place has the text that the skeleton compares."""
    found: str
    path: str
    word: str = "package"


_KINDS = {
    Family.SHELL: _Kind(
        "shell.places", "Command", "place.words and place.words[0].text", "package --all\\n", "run.sh"
    ),
    Family.DEPENDENCIES: _Kind(
        "packages.places", "Requirement", "place.name", "package\\n", "requirements.txt"
    ),
    Family.CONFIGURATIONS: _Kind("settings", "Setting", "place.value", "key: package\\n", "config.yaml"),
    Family.CONTAINERS: _Kind("dockerfile.places", "BaseImage", "place.name", "FROM package\\n", "Dockerfile"),
    Family.SOURCES: _Kind(
        "cpp.places", "CudaUse", "place.text", "#include <cuda_runtime.h>\\n", "a.cpp", "cuda_runtime.h"
    ),
}


def _lines_of(name: str) -> _Kind:
    """What a rule about a kind as :mod:`tools.new_kind` writes it begins with."""
    kind = kind_called(name)
    return _Kind(f"{name}.places", "Line", "place.text", "package\\n", kind.patterns[0].replace("*", "a"))


_SETTINGS = {
    Family.ACCELERATOR: '(("target", "accelerator"),)',
    Family.AUTOMATIC: '(("auto", True),)',
    Family.MINDSPORE: '(("target", "mindspore"),)',
}
"""What turns the rules of a family on."""
_OF_PACKAGES = {Family.MINDSPORE: "gpu2ascend_mindspore"}
"""The packages of families whose target is one of its own."""
_MESSAGES = {
    "found": "`{what}` TODO: fails on the NPU; write what to do instead",
    "title": "TODO: what is found, as a heading",
}
_ROW = ("TODO: the construct", "all", "diagnosed", "{code}", "TODO: a public source")


class RefusedError(Exception):
    """The skeleton cannot be written; the text says why."""


class NewRule(NamedTuple):
    """What distinguishes one rule from another."""

    code: str
    name: str
    family: Family
    of_kind: str = ""
    """The kind of file whose lines it is about; empty: what its family is about."""

    @property
    def kind(self) -> _Kind | None:
        """What the skeleton begins with, unless it is about Python."""
        return _lines_of(self.of_kind) if self.of_kind else _KINDS.get(self.family)

    @property
    def module(self) -> str:
        """The path of the rule's module in the repository."""
        file = self.name.replace("-", "_")
        if self.family in _OF_PACKAGES:
            return f"rules/{_OF_PACKAGES[self.family]}/catalog/{file}.py"
        return f"rules/gpu2ascend_rules/catalog/{self.family.folder}/{file}.py"

    @property
    def messages(self) -> str:
        """The path of its English messages."""
        package = _OF_PACKAGES.get(self.family, "gpu2ascend_rules")
        return f"rules/{package}/messages/en/{self.family.folder}.json"


def checked(code: str, name: str, family: str, kind: str = "") -> NewRule:
    """A rule that may be added.

    Raises:
        RefusedError: the code or the name is malformed or taken, the family is not that of the code, or
            there is no such kind of file.
    """
    families = {item.value: item for item in Family if item is not Family.CUSTOM}
    if not _NAME.fullmatch(name):
        raise RefusedError(f"NAME={name} is not lower-case words joined by hyphens")
    if family not in families:
        raise RefusedError(f"FAMILY={family} is none of {', '.join(families)}")
    if not families[family].has_code(code):
        raise RefusedError(f"CODE={code} is not of {family}, whose codes are {families[family].codes}")
    for rule in all_codes():
        if rule.code == code:
            raise RefusedError(f"{code} is taken by {rule.name}")
        if rule.name == name:
            raise RefusedError(f"{name} is the name of {rule.code}")
    kinds = [item.name for item in all_kinds()]
    if kind and kind not in kinds:
        raise RefusedError(f"KIND={kind} is none of {', '.join(kinds)}")
    return NewRule(code, name, families[family], kind)


def write(rule: NewRule, root: Path = ROOT) -> list[Path]:
    """Write the skeleton into a checkout.

    Returns:
        The files that a person goes on with.

    Raises:
        RefusedError: the module exists already.
    """
    module = root / rule.module
    if module.exists():
        raise RefusedError(f"{rule.module} exists")
    messages = root / rule.messages
    table = root / f"docs/coverage/{rule.family.folder}.tsv"
    _begin(module.parent / "__init__.py", f'"""{rule.family.title}."""\n')
    _begin(messages, "{}\n")
    _begin(table, "\t".join(COLUMNS) + "\n")
    module.write_text(_text(rule), encoding="utf-8", newline="\n")
    _add_messages(messages, rule)
    _add_row(table, rule)
    runpy.run_path(str(root / "docs/coverage/build.py"), run_name="__main__")
    return [module, messages, table]


def _text(rule: NewRule) -> str:
    kind = rule.kind
    settings = _SETTINGS.get(rule.family)
    line = f"    example_settings = {settings}\n" if settings is not None else ""
    if kind is None:
        imports, body = _IMPORTS, _BODY.format(settings=line)
    else:
        other = kind.found.replace(kind.word, "other")
        imports = _IMPORTS_OF_PLACES.format(**kind._asdict())
        body = line + _BODY_OF_PLACES.format(**kind._asdict(), other=other)
    if rule.family in _OF_PACKAGES:
        imports = imports.replace("from ...", "from gpu2ascend_rules.")
    return _MODULE.format(
        code=rule.code,
        class_name="".join(word.capitalize() for word in rule.name.split("-")),
        imports=imports,
        body=body,
    )


def _begin(path: Path, text: str) -> None:
    """Make the file of a new family."""
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_text(text, encoding="utf-8", newline="\n")


def _add_messages(path: Path, rule: NewRule) -> None:
    """Add the rule's messages behind those of the codes before it."""
    code, what = rule.code, "{api}" if rule.kind is None else "{name}"
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    entries = list(texts.items())
    place = sum(name.partition(".")[0] < code for name in texts)
    entries[place:place] = [
        (f"{code}.{name}", text.replace("{what}", what)) for name, text in _MESSAGES.items()
    ]
    text = json.dumps(dict(entries), ensure_ascii=False, indent=2)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _add_row(path: Path, rule: NewRule) -> None:
    """Add a row to the coverage table, under the next id of its last row's series."""
    text = path.read_text(encoding="utf-8")
    *_, last = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    series, _, number = last[0].rpartition("-")
    if not series:  # the heading
        series, number = rule.family.folder.replace("_", "-").upper(), "0"
    row = [f"{series}-{int(number) + 1:02}", *(cell.format(code=rule.code) for cell in _ROW)]
    path.write_text(text + "\t".join(row) + "\n", encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> int:
    """Write the skeleton that the command line asks for; 2 with the reason where it cannot be."""
    parser = argparse.ArgumentParser(prog="python -m tools.new_rule", description=__doc__)
    parser.add_argument("code")
    parser.add_argument("name")
    parser.add_argument("family")
    parser.add_argument("kind", nargs="?", default="")
    given = parser.parse_args(arguments)
    try:
        written = write(checked(given.code, given.name, given.family, given.kind))
    except RefusedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    print(f"replace what is marked {TODO}, then: make check-rule CODE={given.code}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
