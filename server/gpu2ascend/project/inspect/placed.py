"""What an editor is given of a file: findings and edits in the columns that it counts."""

from __future__ import annotations

from typing import NamedTuple

from gpu2ascend_rules.hosting import title_of
from gpu2ascend_rules.model.finding import Finding, Message, Requirement
from gpu2ascend_rules.text.lines import ColumnUnit, Position
from gpu2ascend_rules.text.plain.text_file import TextFile

from ..examination import Examination
from ..files.content.notebooks import NotebookFile
from ..report.verdict.way import ON_THE_WAY, Way


class FindingRange(NamedTuple):
    """A range of a text, in the columns that were asked for."""

    start: Position
    end: Position
    cell: int | None = None
    """Of a notebook: the cell, counted from 1 among all, whose text it is."""
    fix: Message | None = None
    """What the fix of the finding there does, if it has one."""
    is_proven: bool = False
    """Whether only the rest of the project shows it, which no look at the file alone does."""


class Reason(NamedTuple):
    """A finding that a change answers."""

    code: str
    message: Message
    line: int
    """From 1, in the text that is changed; of a notebook, in its cell."""


class PlacedChange(NamedTuple):
    """What a person may make or leave, whatever becomes of the other changes."""

    number: int
    """Of those of a file, or of all cells of a notebook."""
    reasons: tuple[Reason, ...]
    unsafe: Message | None = None
    """What an unsafe fix does; None for safe ones."""


class PlacedEdit(NamedTuple):
    """A change of a text, in the columns that were asked for."""

    start: Position
    end: Position
    text: str
    change: PlacedChange | None = None
    """What it is a part of; None for an import that is made with whatever needs it."""


class PlacedFile(NamedTuple):
    """What was found in a file of a project, or would change in it."""

    path: str
    """Relative to the project, with ``/``, as the system has it."""
    findings: tuple[tuple[Finding, FindingRange], ...] = ()
    edits: tuple[PlacedEdit, ...] = ()
    """In order; none overlaps another."""
    problem: Message | None = None
    """Why the file could not be examined, or not as a whole."""
    way: Way = ON_THE_WAY
    """From which programs the file is reached."""
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents that the unsafe fixes among the edits need."""
    requires: frozenset[Requirement] = frozenset()
    """The imports that the edits need, or some of them."""
    is_left_out: bool = False
    """Whether it is a notebook with something to look at, which only an editor that has it open can edit."""
    done: int = 0
    """Files of the project so far, with this one."""
    total: int = 0


def placed_findings(done: Examination, unit: ColumnUnit) -> tuple[tuple[Finding, FindingRange], ...]:
    """The findings of an examined file with their places."""
    source = done.source
    if source is None:
        return ()
    proven = frozenset(done.proven)
    return tuple(
        (finding, _span(source, finding, done.notebook, unit)._replace(is_proven=finding in proven))
        for finding in done.findings
    )


def _span(
    source: TextFile, finding: Finding, notebook: NotebookFile | None, unit: ColumnUnit
) -> FindingRange:
    lines = source.lines
    title = title_of(finding.fix, source.data) if finding.fix is not None else None
    span = FindingRange(lines.position(finding.start, unit), lines.position(finding.end, unit), fix=title)
    return span if notebook is None else _in_cell(span, notebook)


def _in_cell(span: FindingRange, notebook: NotebookFile) -> FindingRange:
    """A range in the composite of a notebook's cells as one in its cell."""
    first, _ = notebook.file_line(span.start.line + 1)
    last, _ = notebook.file_line(span.end.line + 1)
    if first is None or last is None:
        return span
    start = span.start._replace(line=first.line - 1)
    return span._replace(start=start, end=span.end._replace(line=last.line - 1), cell=first.cell)
