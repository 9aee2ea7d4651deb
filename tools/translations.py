"""What is not translated: ``make untranslated``.

A rule may land before its Chinese texts, which are shown in English until then. This prints what is missing
as one JSON object, messages by id and the documentation of rules by code, each in English. The same object
with the texts in Chinese is added to the catalogues by ``python -m tools.translations FILE``. ``--strict``
fails when anything is missing; a release requires that (``make release-check``).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from gpu2ascend_rules import explaining, messages
from gpu2ascend_rules.engine.registry import all_codes, rule_by_code

TARGET = "zh"


class Untranslated(TypedDict):
    """English texts that have no translation, or that changed after it was made."""

    messages: dict[str, str]
    rules: dict[str, dict[str, str]]


def untranslated(language: str = TARGET) -> Untranslated:
    """The texts that a language lacks."""
    codes = all_codes()  # with the catalogues of all targets
    known, explained = messages.translated(language), explaining.translations(language)
    return {
        "messages": {
            name: text for name, text in messages.translated(messages.FALLBACK).items() if name not in known
        },
        "rules": {
            rule.code: {
                name: text for name, text in explaining.documentation(rule).items() if name != "summary"
            }
            for rule in codes
            if explained.get(rule.code, {}).get(explaining.DIGEST) != explaining.digest(rule)
        },
    }


def add(texts: Untranslated, catalogues: Sequence[Path] = ()) -> None:
    """Write translations beside the English texts they belong to.
    Raises ValueError: a text has no English original."""
    all_codes()  # with the catalogues of all targets
    catalogues = catalogues or messages.folders()
    _add_messages(texts.get("messages", {}), catalogues)
    _add_rules(texts.get("rules", {}), catalogues)


def _add_messages(texts: Mapping[str, str], catalogues: Sequence[Path]) -> None:
    left = dict(texts)
    for original in (
        path for folder in catalogues for path in sorted((folder / messages.FALLBACK).glob("*.json"))
    ):
        target = original.parents[1] / TARGET / original.name
        known = _read(target)
        english = json.loads(original.read_text(encoding="utf-8"))
        known.update({name: left.pop(name) for name in english if name in left})
        _write(target, {name: known[name] for name in english if name in known})
    if left:
        raise ValueError(f"no English message has the id {', '.join(sorted(left))}")


def _add_rules(texts: Mapping[str, Mapping[str, str]], catalogues: Sequence[Path]) -> None:
    for code, parts in sorted(texts.items()):
        rule = rule_by_code(code)
        if rule is None:
            raise ValueError(f"there is no rule {code}")
        name = Path(TARGET, "rules", f"{code[:4]}.json")
        target = next(
            (path for path in (folder / name for folder in catalogues) if path.exists()), catalogues[0] / name
        )
        known = {**_read(target), code: {explaining.DIGEST: explaining.digest(rule), **parts}}
        _write(target, dict(sorted(known.items())))


def _read(path: Path) -> dict[str, object]:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _write(path: Path, texts: Mapping[str, object]) -> None:
    text = json.dumps(texts, ensure_ascii=False, indent=2)
    if texts:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> int:
    """Print what is missing, or add what a file holds; 1 where ``--strict`` finds something missing."""
    parser = argparse.ArgumentParser(prog="python -m tools.translations", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="translations to add to the catalogues")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a text is missing")
    given = parser.parse_args(arguments)
    if given.file is not None:
        add(json.loads(given.file.read_text(encoding="utf-8")))
        return 0
    missing = untranslated()
    json.dump(missing, sys.stdout, ensure_ascii=False, indent=2)
    print()
    return int(given.strict and any(missing.values()))


if __name__ == "__main__":
    sys.exit(main())
