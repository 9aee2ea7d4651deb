"""Findings as the output formats show them: texts instead of ids, rows and columns instead of offsets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.hosting import RewriteDeclined, edits_of, title_of
from gpu2ascend_rules.model.finding import Applicability, Edit, Finding, Fix, Severity
from gpu2ascend_rules.text.plain.text_file import TextFile

from ...project.examination import Examination
from ...project.files.content.notebooks import NotebookFile
from ...project.report.verdict.way import ON_THE_WAY, Standing, Way
from ...texts.catalogue import Texts


class RowColumn(NamedTuple):
    """A row and a column, both from 1; columns count code points."""

    row: int
    column: int


class ShownEdit(NamedTuple):
    """Replace the text between two positions."""

    start: RowColumn
    end: RowColumn
    content: str
    cell: int | None = None
    """Of a notebook: the cell whose rows these are."""


class ShownFix(NamedTuple):
    """A fix that can be made, with its edits and the imports that these need."""

    applicability: Applicability
    message: str
    edits: tuple[ShownEdit, ...]


class Diagnostic(NamedTuple):
    """One finding, ready to be shown."""

    code: str
    name: str
    """The rule's name, empty for a finding that no rule of the catalogue made."""
    message: str
    severity: Severity
    api: str | None
    path: str
    """The file as the user named it."""
    start: RowColumn
    end: RowColumn
    fix: ShownFix | None
    cell: int | None = None
    """Of a notebook: the cell, from 1, whose rows the places count."""
    file_rows: tuple[int, int] | None = None
    """Of a notebook: the first and last line of the file itself, for programs that know no cells."""

    is_advice: bool = False
    way: Way = ON_THE_WAY
    """From which programs the file is reached."""

    @property
    def where(self) -> str:
        """The row and column, after the cell if there is one."""
        place = f"{self.start.row}:{self.start.column}"
        return place if self.cell is None else f"cell {self.cell}:{place}"

    @property
    def standing(self) -> Standing:
        """The group that it is listed in."""
        return self.way.standing_of(self.severity, is_advice=self.is_advice)

    @property
    def gravity(self) -> Severity:
        """How grave it is for the training: an error that no training reaches does not prevent any."""
        is_outside = self.severity is Severity.ERROR and self.way.is_outside
        return Severity.WARNING if is_outside else self.severity


def diagnose(file: Examination, texts: Texts, findings: Iterable[Finding] | None = None) -> list[Diagnostic]:
    """A file's findings, or some of them, as diagnostics, in their order."""
    if file.source is None:
        return []
    path = file.path
    found = [
        _diagnostic(file.source, finding, path, texts)
        for finding in (file.findings if findings is None else findings)
    ]
    found = [item._replace(way=file.way) for item in found]
    if not file.can_be_fixed:  # nothing is promised that --fix would refuse
        found = [item._replace(fix=None) for item in found]
    return found if file.notebook is None else [_in_cell(item, file.notebook) for item in found]


def _in_cell(diagnostic: Diagnostic, notebook: NotebookFile) -> Diagnostic:
    """A diagnostic of a notebook's composite, as one of its cell."""
    start, first = _cell_place(diagnostic.start, notebook)
    end, last = _cell_place(diagnostic.end, notebook)
    fix = diagnostic.fix
    if fix is not None:
        fix = fix._replace(edits=tuple(_edit_in_cell(edit, notebook) for edit in fix.edits))
    cell, _ = notebook.file_line(diagnostic.start.row)
    number = cell.cell if cell is not None else None
    return diagnostic._replace(start=start, end=end, fix=fix, cell=number, file_rows=(first, last))


def _edit_in_cell(edit: ShownEdit, notebook: NotebookFile) -> ShownEdit:
    cell, _ = notebook.file_line(edit.start.row)
    start, _ = _cell_place(edit.start, notebook)
    end, _ = _cell_place(edit.end, notebook)
    return edit._replace(start=start, end=end, cell=cell.cell if cell is not None else None)


def _cell_place(place: RowColumn, notebook: NotebookFile) -> tuple[RowColumn, int]:
    cell, line = notebook.file_line(place.row)
    return (place._replace(row=cell.line) if cell is not None else place), line


def _diagnostic(source: TextFile, finding: Finding, path: str, texts: Texts) -> Diagnostic:
    rule = rule_by_code(finding.code)
    return Diagnostic(
        code=finding.code,
        name=rule.name if rule is not None else "",
        message=texts.of(finding.message),
        severity=finding.severity,
        api=finding.api,
        path=path,
        start=_place(source, finding.start),
        end=_place(source, finding.end),
        fix=_placed_fix(source, finding.fix, texts) if finding.fix is not None else None,
        is_advice=finding.is_advice,
    )


def _place(source: TextFile, offset: int) -> RowColumn:
    position = source.lines.position(offset)
    return RowColumn(position.line + 1, position.column + 1)


def _placed_fix(source: TextFile, fix: Fix, texts: Texts) -> ShownFix | None:
    """The fix with its edits; ``None`` for advice, and for a fix that cannot be made in this file."""
    if fix.applicability is Applicability.MANUAL:
        return None
    try:
        edits = edits_of(source, fix)
    except RewriteDeclined:
        return None
    placed = tuple(_placed_edit(source, edit) for edit in edits)
    return ShownFix(fix.applicability, texts.of(title_of(fix, source.data)), placed)


def _placed_edit(source: TextFile, edit: Edit) -> ShownEdit:
    return ShownEdit(_place(source, edit.start), _place(source, edit.end), edit.text)
