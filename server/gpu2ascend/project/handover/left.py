"""Findings that are left, each with its line as it is now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.hosting import NotebookError
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

from ..examination import Examination
from ..files.content.encoding import NotTextError, decode
from ..files.content.notebooks import NotebookFile, is_notebook
from ..regular_files import read_inside
from ..report.effort.classes import Key, cause_of, is_to_do
from ..report.result import FileOutcome
from ..report.verdict.way import Way
from .pattern import pattern_at

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
    pattern: str = ""
    """What to write there; of the findings of a file that say the same, only the first one has it."""


class Chosen(NamedTuple):
    """A finding that somebody has chosen."""

    path: str
    """Relative to the project, with ``/``."""
    cell: int | None
    line: int
    """From 1; of a notebook in the cell."""
    code: str


def left_in(file: Examination, path: str, known: Container[Key] = ()) -> Iterator[Left]:
    """What an examined file has left, without hints and advice.

    Args:
        known: The causes of which the caller has a pattern.
    """
    return _wanted_in(file, path, known, lambda finding, place: is_to_do(finding))


def chosen_in(
    file: Examination, path: str, chosen: Collection[Chosen], known: Container[Key] = ()
) -> Iterator[Left]:
    """The chosen findings of an examined file, hints and advice too; ``known`` as of :func:`left_in`."""

    def is_chosen(finding: Finding, place: Place) -> bool:
        return Chosen(place.path, place.cell, place.line, finding.code) in chosen

    return _wanted_in(file, path, known, is_chosen)


def _wanted_in(
    file: Examination, path: str, known: Container[Key], is_wanted: Callable[[Finding, Place], bool]
) -> Iterator[Left]:
    if file.source is None:
        return
    patterns = _Patterns(file.source, known)
    for finding in file.findings:
        place = _place(path, file.source, file.notebook, finding)
        if is_wanted(finding, place):
            yield Left(finding, place, file.way, patterns.of(finding))


def left_of(outcome: FileOutcome, directory: Path, known: Container[Key] = ()) -> Iterator[Left]:
    """What a migrated file has left. Its new text is read from the directory of the output; ``known`` as of
    :func:`left_in`."""
    remaining = [item for item in outcome.remaining if is_to_do(item.finding)]
    if not remaining:
        return
    path = outcome.path
    notebook: NotebookFile | None = None
    source: TextFile | None = None
    with suppress(OSError, NotTextError, NotebookError):
        text = decode(read_inside(directory, directory.joinpath(*path.split("/")), LARGEST)).text
        notebook = NotebookFile.whole(text, path) if is_notebook(path) else None
        source = notebook.composite.source if notebook is not None else _source(text, path)
    patterns = _Patterns(source, known) if source is not None else None
    for item in remaining:
        if source is None or patterns is None:
            yield Left(item.finding, Place(path, item.start_line, ""), outcome.way)
            continue
        place = _place(path, source, notebook, item.finding)
        yield Left(item.finding, place, outcome.way, patterns.of(item.finding))


def _source(text: str, path: str) -> TextFile:
    return kind_file(path, text) or SourceFile(text, path)


class _Patterns:
    """What to write at the findings of one file: asked once for those that say the same."""

    def __init__(self, source: TextFile, known: Container[Key]) -> None:
        self._source = source
        self._known = known
        self._asked: set[Key] = set()

    def of(self, finding: Finding) -> str:
        key = cause_of(finding)
        if key in self._asked or key in self._known:
            return ""
        self._asked.add(key)
        return pattern_at(self._source, finding)


def _place(path: str, source: TextFile, notebook: NotebookFile | None, finding: Finding) -> Place:
    line = source.lines.position(min(finding.start, len(source.data))).line
    start, end = source.lines.line_span(line)
    code = source.data[start:end].decode("utf-8", "replace").strip()
    cell, _ = notebook.file_line(line + 1) if notebook is not None else (None, 0)
    return Place(path, line + 1, code) if cell is None else Place(path, cell.line, code, cell.cell)
