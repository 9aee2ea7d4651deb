"""From findings to diagnostics."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from gpu2ascend_rules.finding import Applicability, Finding, Severity
from gpu2ascend_rules.lines import ColumnUnit, LineIndex
from gpu2ascend_rules.messages import render

from .analysis import Analysis

SOURCE = "gpu2ascend"
DOCUMENTATION = "https://github.com/gpu2ascend/gpu2ascend/blob/main/docs/rules.md"
"""Where every rule is explained; the rule's code, in lower case, is the anchor."""

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def diagnostics_of(analysis: Analysis, unit: ColumnUnit, language: str) -> list[types.Diagnostic]:
    """The diagnostics of an analysed document; the ``data`` of each finds its finding again."""
    lines = analysis.document.lines
    return [
        _diagnostic(finding, number, analysis, lines, unit, language)
        for number, finding in enumerate(analysis.findings)
    ]


def range_of(lines: LineIndex, start: int, end: int, unit: ColumnUnit) -> types.Range:
    """A span of bytes as a range in the client's columns."""
    first, last = lines.position(start, unit), lines.position(end, unit)
    return types.Range(types.Position(*first), types.Position(*last))


def _diagnostic(
    finding: Finding,
    number: int,
    analysis: Analysis,
    lines: LineIndex,
    unit: ColumnUnit,
    language: str,
) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(analysis.document.uri, range_of(lines, item.start, item.end, unit)),
            render(item.message, language),
        )
        for item in finding.related
    ]
    return types.Diagnostic(
        range=range_of(lines, finding.start, finding.end, unit),
        message=render(finding.message, language),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(f"{DOCUMENTATION}#{finding.code.lower()}"),
        source=SOURCE,
        tags=list(_tags(finding)) or None,
        related_information=related or None,
        data={
            "version": analysis.document.version,
            "finding": number,
            "applicability": finding.fix.applicability.value if finding.fix else Applicability.MANUAL.value,
        },
    )


def _tags(finding: Finding) -> Iterable[types.DiagnosticTag]:
    """Deprecated and unnecessary code is shown as such by clients that can."""
    return ()
