"""Findings as the output formats show them: texts instead of ids, rows and columns instead of offsets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gpu2ascend_rules.apply import edits_of
from gpu2ascend_rules.catalog import rule_by_code
from gpu2ascend_rules.finding import Applicability, Edit, Finding, Fix, Severity
from gpu2ascend_rules.rewrite import RewriteDeclined
from gpu2ascend_rules.source import SourceFile

from .language import Texts


class Place(NamedTuple):
    """A row and a column, both from 1; columns count code points."""

    row: int
    column: int


class PlacedEdit(NamedTuple):
    """Replace what stands between two places."""

    start: Place
    end: Place
    content: str


class PlacedFix(NamedTuple):
    """A fix that can be made, with its edits and the imports that these need."""

    applicability: Applicability
    message: str
    edits: tuple[PlacedEdit, ...]


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
    start: Place
    end: Place
    fix: PlacedFix | None


def diagnose(source: SourceFile, findings: Iterable[Finding], path: str, texts: Texts) -> list[Diagnostic]:
    """A file's findings as diagnostics, in their order."""
    return [_diagnostic(source, finding, path, texts) for finding in findings]


def _diagnostic(source: SourceFile, finding: Finding, path: str, texts: Texts) -> Diagnostic:
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
    )


def _place(source: SourceFile, offset: int) -> Place:
    position = source.lines.position(offset)
    return Place(position.line + 1, position.column + 1)


def _placed_fix(source: SourceFile, fix: Fix, texts: Texts) -> PlacedFix | None:
    """The fix with its edits; ``None`` for advice, and for a fix that cannot be made in this file."""
    if fix.applicability is Applicability.MANUAL:
        return None
    try:
        edits = edits_of(source, fix)
    except RewriteDeclined:
        return None
    placed = tuple(_placed_edit(source, edit) for edit in edits)
    return PlacedFix(fix.applicability, texts.of(fix.title), placed)


def _placed_edit(source: SourceFile, edit: Edit) -> PlacedEdit:
    return PlacedEdit(_place(source, edit.start), _place(source, edit.end), edit.text)
