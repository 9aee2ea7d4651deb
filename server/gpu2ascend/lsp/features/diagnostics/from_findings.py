"""From findings to diagnostics."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from gpu2ascend_rules.hosting import title_of
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Finding, Related, Severity
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.related_information import (
    is_deprecated,
    is_without_effect,
    place_of_alias,
    place_of_name,
)
from gpu2ascend_rules.text.lines import ColumnUnit

from ...conversion.json_messages import Encoded, encoded
from ...documentation import rule_pages as documentation
from ...session.analysis import Analysis
from ...startup.announcement import SOURCE

NOT_EXAMINED = "not-examined"
"""The code of the diagnostic that says so."""
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def diagnostics_of(analysis: Analysis, unit: ColumnUnit, language: str) -> list[types.Diagnostic]:
    """The diagnostics of an analysed document, the problem of examining it last.

    The ``data`` of each finds its finding again; that of a problem has none.
    """
    found = [diagnostic_of(analysis, number, unit, language) for number, _ in enumerate(analysis.findings)]
    return [*found, *_problem_of(analysis, language)]


def _problem_of(analysis: Analysis, language: str) -> Iterator[types.Diagnostic]:
    """At the beginning of the document: that it, or a part of it, was not examined."""
    if analysis.problem is not None:
        start = types.Position(0, 0)
        yield types.Diagnostic(
            range=types.Range(start, start),
            message=render(analysis.problem, language),
            severity=types.DiagnosticSeverity.Error,
            code=NOT_EXAMINED,
            source=SOURCE,
        )


def diagnostics_by_uri(
    analysis: Analysis, unit: ColumnUnit, language: str
) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each document that was examined: of every cell, those without any as well."""
    found: dict[str, list[types.Diagnostic]] = {part.uri: [] for part in analysis.document.parts}
    for number, finding in enumerate(analysis.findings):
        uri = analysis.document.location(finding.start, finding.start, unit).uri
        found[uri].append(diagnostic_of(analysis, number, unit, language))
    for diagnostic in _problem_of(analysis, language):
        found[analysis.document.parts[0].uri].append(diagnostic)
    return found


def encoded_diagnostics(analysis: Analysis, unit: ColumnUnit, language: str) -> list[Encoded]:
    """What is sent to a client that does not ask, of each document that was examined together."""
    found = diagnostics_by_uri(analysis, unit, language)
    return [
        encoded(types.PublishDiagnosticsParams(part.uri, found[part.uri], part.version))
        for part in analysis.document.parts
    ]


def result_id(content: object, options: MigrationOptions, language: str, state: object) -> str:
    """The same for the same content looked at in the same way; no other server gives the same.

    ``state`` stands for what else the findings depend on: the project, or the findings themselves.
    """
    return f"{hash((content, options, language, state)) & (1 << 64) - 1:x}"


def diagnostic_of(analysis: Analysis, number: int, unit: ColumnUnit, language: str) -> types.Diagnostic:
    """The diagnostic of one finding."""
    finding = analysis.findings[number]
    related = [
        types.DiagnosticRelatedInformation(
            analysis.document.location(item.start, item.end, unit), render(item.message, language)
        )
        for item in _related(analysis, finding)
    ]
    page = documentation.link(finding.code, language)
    tags = list(_tags(finding, analysis))
    return types.Diagnostic(
        range=analysis.document.location(finding.start, finding.end, unit).range,
        message=render(finding.message, language),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page) if page is not None else None,
        source=SOURCE,
        tags=tags or None,
        related_information=related or None,
        data=_data(analysis, number, finding, language),
    )


def _data(analysis: Analysis, number: int, finding: Finding, language: str) -> dict[str, object]:
    """What finds the finding again, and what a list of findings shows of it beside the message."""
    fix = finding.fix
    data: dict[str, object] = {
        "finding": number,
        "applicability": finding.applicability.value,
        "kind": finding.kind,
    }
    if fix is None:
        return data
    return {**data, "fix": render(title_of(fix, analysis.document.source.data), language)}


def _related(analysis: Analysis, finding: Finding) -> Iterator[Related]:
    """Other places that explain it. A tree is not made for this: a large file has it in another process."""
    yield from finding.related
    source = analysis.document.python
    has_tree = source is not None and source.known_tree is not None
    alias = place_of_alias(source, finding) if source is not None and has_tree else None
    if alias is not None:
        yield alias


def _is_name_alone(finding: Finding, analysis: Analysis) -> bool:
    """Whether a place is that of the name; a whole import would be struck through."""
    return place_of_name(analysis.document.source.data, finding) == (finding.start, finding.end)


def _tags(finding: Finding, analysis: Analysis) -> Iterator[types.DiagnosticTag]:
    """Deprecated code, and code without effect, is shown as such by clients that can."""
    if is_deprecated(finding, analysis.options.require_version()) and _is_name_alone(finding, analysis):
        yield types.DiagnosticTag.Deprecated
    if is_without_effect(finding):
        yield types.DiagnosticTag.Unnecessary
