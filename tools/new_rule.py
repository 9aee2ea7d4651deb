"""The skeleton of a rule: ``make rule CODE=NPU790 NAME=spacy-on-gpu FAMILY=third-party``.

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

TODO = "TODO"
ROOT = Path(__file__).parents[1]

_CODE = re.compile(r"NPU\d{3,4}|ADV\d{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MODULE = '''"""{code}: TODO, in a few words."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import Example, Family, Rule, on
from ...model.finding import Finding, Severity


class {class_name}(Rule):
    """TODO: what is found, in one sentence.

    What it does: TODO: what it reports, and what it writes instead.

    Why it matters on the NPU: TODO: what happens there at run time.

    Example: TODO: ``package.function()`` becomes ``...``.

    Use instead: TODO: what to write by hand.
    """

    code = "{code}"
    name = "{name}"
    family = Family.{family}
    examples = (
        Example("import package\\npackage.function()\\n", manual=True),
        Example.unchanged("import package\\npackage.other()\\n"),
    )

    @on.name("package.function")
    def found(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        yield self.report(ref.node, "found", Severity.ERROR, api=ref.name)
'''
_MESSAGES = {
    "found": "`{api}` TODO: fails on the NPU; write what to do instead",
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

    @property
    def folder(self) -> str:
        """The name of the family's folder, message file and coverage table."""
        return self.family.value.replace("-", "_")

    @property
    def module(self) -> str:
        """The path of the rule's module in the repository."""
        file = self.name.replace("-", "_")
        return f"rules/gpu2ascend_rules/catalog/{self.folder}/{file}.py"


def checked(code: str, name: str, family: str) -> NewRule:
    """A rule that may be added.

    Raises:
        RefusedError: the code or the name is malformed or taken, or the family is not that of the code.
    """
    families = {item.value: item for item in Family if item is not Family.CUSTOM}
    if not _CODE.fullmatch(code):
        raise RefusedError(f"CODE={code} is not NPU and three or four digits")
    if not _NAME.fullmatch(name):
        raise RefusedError(f"NAME={name} is not lower-case words joined by hyphens")
    if family not in families:
        raise RefusedError(f"FAMILY={family} is none of {', '.join(families)}")
    for rule in all_codes():
        if rule.code == code:
            raise RefusedError(f"{code} is taken by {rule.name}")
        if rule.name == name:
            raise RefusedError(f"{name} is the name of {rule.code}")
        if rule.code[:-2] == code[:-2] and rule.family is not families[family]:
            raise RefusedError(f"{code[:-2]}xx is the family {rule.family.value}")
    return NewRule(code, name, families[family])


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
    class_name = "".join(word.capitalize() for word in rule.name.split("-"))
    text = _MODULE.format(code=rule.code, name=rule.name, class_name=class_name, family=rule.family.name)
    module.write_text(text, encoding="utf-8", newline="\n")
    messages = root / f"rules/gpu2ascend_rules/messages/en/{rule.folder}.json"
    _add_messages(messages, rule.code)
    table = root / f"docs/coverage/{rule.folder}.tsv"
    _add_row(table, rule.code)
    runpy.run_path(str(root / "docs/coverage/build.py"), run_name="__main__")
    return [module, messages, table]


def _add_messages(path: Path, code: str) -> None:
    """Add the rule's messages behind those of the codes before it."""
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    entries = list(texts.items())
    place = sum(name.partition(".")[0] < code for name in texts)
    entries[place:place] = [(f"{code}.{name}", text) for name, text in _MESSAGES.items()]
    text = json.dumps(dict(entries), ensure_ascii=False, indent=2)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _add_row(path: Path, code: str) -> None:
    """Add a row to the coverage table, under the next id of its last row's series."""
    text = path.read_text(encoding="utf-8")
    *_, last = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    series, _, number = last[0].rpartition("-")
    row = [f"{series}-{int(number) + 1:02}", *(cell.format(code=code) for cell in _ROW)]
    path.write_text(text + "\t".join(row) + "\n", encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> int:
    """Write the skeleton that the command line asks for; 2 with the reason where it cannot be."""
    parser = argparse.ArgumentParser(prog="python -m tools.new_rule", description=__doc__)
    parser.add_argument("code")
    parser.add_argument("name")
    parser.add_argument("family")
    given = parser.parse_args(arguments)
    try:
        written = write(checked(given.code, given.name, given.family))
    except RefusedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    print(f"replace what is marked {TODO}, then: make check-rule CODE={given.code}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
