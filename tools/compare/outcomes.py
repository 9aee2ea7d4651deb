"""What a side makes of a task, as :mod:`tools.compare.worker` writes it."""

from __future__ import annotations

import difflib
import json
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Lines and columns from 1, of the file as it was given; columns are 0 where only lines are known."""

    line: int
    column: int
    end_line: int
    end_column: int


class Finding(NamedTuple):
    """A finding, with its message as an id and arguments."""

    code: str
    place: Place
    message: str
    severity: str
    applicability: str
    fix: str
    """The title of the fix; empty without one."""
    line: str
    """The beginning of the line that it starts in."""


class Record(NamedTuple):
    """What a side says that it did to some lines of the file."""

    code: str
    line: int
    end_line: int
    operation: str
    message: str


class Edit(NamedTuple):
    """Lines of a file that became others."""

    start: int
    """The first line, from 1; of an insertion, the line before which it stands."""
    before: tuple[str, ...]
    after: tuple[str, ...]


class FileOutcome(NamedTuple):
    """What is found in one file and what the fixes make of it."""

    status: str
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    records: tuple[Record, ...] = ()
    edits: tuple[Edit, ...] = ()


class Outcome(NamedTuple):
    """What becomes of a task."""

    files: dict[str, FileOutcome]
    """By path; a file of a project of which nothing is to say is left out."""
    problem: str = ""
    """What the side failed with; empty if it did not."""


def read(document: str) -> Outcome:
    """An outcome from the line that a worker wrote."""
    plain = json.loads(document)
    return Outcome({path: _file(item) for path, item in plain["files"].items()}, plain["problem"])


def _file(item: dict[str, Any]) -> FileOutcome:
    return FileOutcome(
        item["status"],
        item["problem"],
        tuple(Finding(**{**found, "place": Place(*found["place"])}) for found in item["findings"]),
        tuple(Record(*record) for record in item["records"]),
        edits_between(*item["texts"]) if item["texts"] is not None else (),
    )


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """The groups of lines in which two texts differ."""
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(start + 1, tuple(old[start:end]), tuple(new[first:last]))
        for operation, start, end, first, last in matcher.get_opcodes()
        if operation != "equal"
    )
