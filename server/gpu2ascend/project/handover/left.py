"""Findings that are left, each with its line as it is now."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.hosting import NotebookError
from gpu2ascend_rules.model.finding import Finding, Severity
from gpu2ascend_rules.text.plain.text_file import TextFile

from ..examination import Examination
from ..files.content.encoding import NotTextError, decode
from ..files.content.notebooks import NotebookFile, is_notebook
from ..regular_files import read_inside
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


class Chosen(NamedTuple):
    """A finding that somebody has chosen."""

    path: str
    """Relative to the project, with ``/``."""
    cell: int | None
    line: int
    """From 1; of a notebook in the cell."""
    code: str


def left_in(file: Examination, path: str) -> Iterator[Left]:
    """What an examined file has left, without hints and advice."""
    return (item for item in _all_in(file, path) if _is_to_do(item.finding))


def chosen_in(file: Examination, path: str, chosen: Collection[Chosen]) -> Iterator[Left]:
    """The chosen findings of an examined file, hints and advice too."""
    return (item for item in _all_in(file, path) if _key(item) in chosen)


def _all_in(file: Examination, path: str) -> Iterator[Left]:
    if file.source is not None:
        for finding in file.findings:
            yield Left(finding, _place(path, file.source, file.notebook, finding), file.way)


def _key(item: Left) -> Chosen:
    place = item.place
    return Chosen(place.path, place.cell, place.line, item.finding.code)


def left_of(outcome: FileOutcome, directory: Path) -> Iterator[Left]:
    """What a migrated file has left. Its new text is read from the directory of the output."""
    remaining = [item for item in outcome.remaining if _is_to_do(item.finding)]
    if not remaining:
        return
    path = outcome.path
    notebook: NotebookFile | None = None
    source: TextFile | None = None
    with suppress(OSError, NotTextError, NotebookError):
        text = decode(read_inside(directory, directory.joinpath(*path.split("/")), LARGEST)).text
        notebook = NotebookFile.whole(text, path) if is_notebook(path) else None
        source = notebook.composite.source if notebook is not None else TextFile(text, path)
    for item in remaining:
        if source is not None:
            place = _place(path, source, notebook, item.finding)
        else:
            place = Place(path, item.start_line, "")
        yield Left(item.finding, place, outcome.way)


def _is_to_do(finding: Finding) -> bool:
    return finding.severity is not Severity.HINT and not finding.is_advice


def _place(path: str, source: TextFile, notebook: NotebookFile | None, finding: Finding) -> Place:
    line = source.lines.position(min(finding.start, len(source.data))).line
    start, end = source.lines.line_span(line)
    code = source.data[start:end].decode("utf-8", "replace").strip()
    cell, _ = notebook.file_line(line + 1) if notebook is not None else (None, 0)
    return Place(path, line + 1, code) if cell is None else Place(path, cell.line, code, cell.cell)
