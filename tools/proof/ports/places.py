"""The places that a patch changes: where each is in the original, and what it is about."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
_HUNK = re.compile(r"@@ -(?P<start>\d+)")


class Subject(NamedTuple):
    """What experts change, and the rules that are about it."""

    group: str
    name: str
    removed: re.Pattern[str]
    added: re.Pattern[str] | None
    codes: frozenset[str]


class Place(NamedTuple):
    """Lines of an original that a port replaces."""

    path: str
    first: int
    last: int
    subject: Subject


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table beside this module."""
    with (_HERE / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        lines = (line for line in stream if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def subjects() -> tuple[Subject, ...]:
    """The table of subjects."""
    return tuple(
        Subject(
            row["group"],
            row["subject"],
            re.compile(row["removed"], re.MULTILINE),
            None if row["added"] == "-" else re.compile(row["added"]),
            frozenset(row["codes"].split(",")),
        )
        for row in rows("subjects")
    )


class _Change(NamedTuple):
    path: str
    removed: list[tuple[int, str]]
    added: list[str]


def places(patch: str) -> Iterator[Place]:
    """The places of a patch whose subject is known. What only moves or only adds is none."""
    for change in _changes(patch):
        removed = [(line, text) for line, text in change.removed if _is_code(text, change.added)]
        text, added = "\n".join(text for _, text in removed), "\n".join(change.added)
        for subject in subjects():
            if subject.removed.search(text) and (subject.added is None or subject.added.search(added)):
                lines = [line for line, _ in removed]
                yield Place(change.path, lines[0], lines[-1], subject)
                break


def _is_code(text: str, added: list[str]) -> bool:
    """Whether a removed line says what none of the added ones says: no blanks, comments or imports."""
    words = text.split("#")[0].split()
    return (
        bool(words)
        and words[0] not in ("from", "import")
        and all(line.split("#")[0].split() != words for line in added)
    )


def _changes(patch: str) -> Iterator[_Change]:
    """The runs of removed and added lines of a patch, in files of Python and scripts that exist."""
    path, line = "", 0
    change = _Change("", [], [])
    for text in patch.splitlines():
        is_changed = path and text[:1] in ("-", "+") and not text.startswith(("--- ", "+++ "))
        if not is_changed and change.removed:
            yield change
            change = _Change(path, [], [])
        if text.startswith("--- "):
            path = text[6:].split("\t")[0] if text.startswith("--- a/") else ""
            path = path if path.endswith((".py", ".sh")) else ""
            change = _Change(path, [], [])
        elif (found := _HUNK.match(text)) is not None:
            line, change = int(found["start"]), _Change(path, [], [])
        elif is_changed and text[0] == "-":
            if change.added:
                yield change
                change = _Change(path, [], [])
            change.removed.append((line, text[1:]))
            line += 1
        elif is_changed:
            change.added.append(text[1:])
        else:
            line += 1
            change = _Change(path, [], [])
    if change.removed:
        yield change
