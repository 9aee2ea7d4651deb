"""Findings that are left, each with its line as it is now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Finding, Severity

from ..examination import Examination
from ..regular_files import read_regular
from ..report.result import FileOutcome
from ..report.verdict.way import Way

LARGEST = 8_000_000
"""Bytes of a file beyond which its lines are not looked up: those of the input count then."""


class Place(NamedTuple):
    """A line with something to do."""

    path: str
    """Relative to the project, with ``/``."""
    line: int
    """From 1; of a notebook in the cell."""
    code: str
    """The line's text without its indentation; empty where the file could not be read."""
    cell: int | None = None
    """Of a notebook: the cell, from 1."""


class Left(NamedTuple):
    """A finding that is left to a person."""

    finding: Finding
    place: Place
    way: Way


def left_in(file: Examination, path: str) -> Iterator[Left]:
    """What an examined file has left, without hints and advice."""
    if file.source is None:
        return
    lines = file.source.text.splitlines()
    for finding in filter(_is_to_do, file.findings):
        row = file.source.lines.position(finding.start).line + 1
        place = Place(path, row, lines[row - 1].strip() if row <= len(lines) else "")
        if file.notebook is not None:
            cell, _ = file.notebook.file_line(row)
            place = place._replace(line=cell.line, cell=cell.cell) if cell is not None else place
        yield Left(finding, place, file.way)


def left_of(outcome: FileOutcome, directory: Path) -> Iterator[Left]:
    """What a migrated file has left. Its new text is read from the directory of the output."""
    remaining = [item for item in outcome.remaining if _is_to_do(item.finding)]
    data = _data(directory.joinpath(*outcome.path.split("/"))) if remaining else b""
    for item in remaining:
        if item.cell is not None:
            place = Place(outcome.path, item.cell.line, "", item.cell.cell)
        else:
            start = min(item.finding.start, len(data))
            line = data.count(b"\n", 0, start) + 1 if data else item.start_line
            place = Place(outcome.path, line, _line_around(data, start))
        yield Left(item.finding, place, outcome.way)


def _is_to_do(finding: Finding) -> bool:
    return finding.severity is not Severity.HINT and not finding.is_advice


def _data(path: Path) -> bytes:
    """The text of a file in UTF-8, in which the offsets of findings count; empty where it is in no UTF-8."""
    try:
        data = read_regular(path, LARGEST)
        data.decode("utf-8")
    except (OSError, ValueError):
        return b""
    return data.removeprefix(b"\xef\xbb\xbf")


def _line_around(data: bytes, start: int) -> str:
    end = data.find(b"\n", start)
    return data[data.rfind(b"\n", 0, start) + 1 : end if end >= 0 else len(data)].decode("utf-8").strip()
