"""What ``analyze`` says: to people, and to programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend_rules.model.finding import Applicability, Finding, Severity
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.restricted_uses import split_advice, split_restricted
from gpu2ascend_rules.unresolved import UnresolvedMember

from ... import __version__
from ...project.examination import Examination
from ...project.files.silenced import SilencedByProject
from ...project.index.kernels import KernelFile
from ...project.inspect.modes import ThirdParty
from ...project.kernels.described import kernel_chapter, kernel_data
from ...project.kernels.model import SizedKernel
from ...project.paths import shown
from ...project.report.effort.described import work_data, work_lines
from ...project.report.effort.work import Work, WorkCounter
from ...project.report.reports import table_of
from ...project.report.verdict.way import Way
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ..formats.report import CheckReport, FileProblem
from ..formats.ruff_json import absolute, as_json
from ..formats.text import advice_lines, diagnostic_lines
from ..output.diagnostics import Diagnostic, ShownEdit, diagnose
from ..output.terminal import Terminal, table
from .third_party_report import third_party_data, third_party_lines

_TABLES = {"unsupported_api": "unsupported", "unknown_api": "unknown", "cuda_op_list": "cuda_ops"}
"""Which count of the summary is that of which report's rows."""


class OpenMember(NamedTuple):
    """A member of which nothing proves that it is the API which its name says."""

    path: str
    member: UnresolvedMember
    reason: str
    """Why nothing proves it."""


class AnalysisReport(NamedTuple):
    """The result of an analysis."""

    diagnostics: tuple[Diagnostic, ...]
    restricted: tuple[Diagnostic, ...]
    """Uses of restricted APIs, unless they were asked for and are diagnostics."""
    problems: tuple[FileProblem, ...]
    unresolved: tuple[OpenMember, ...]
    kernels: tuple[KernelFile, ...]
    summary: dict[str, int]
    third_party: ThirdParty = ThirdParty()
    """Of the mode third_party."""
    advice: tuple[Diagnostic, ...] = ()
    """Of the mode advice: no findings."""
    sized: tuple[SizedKernel, ...] = ()
    """The kernels with their sizes."""
    work: Work | None = None
    """How much would be edited, and is left."""
    silenced: tuple[str, ...] = ()
    """What the project itself keeps from being examined or reported, a line each."""

    def with_silenced(self, found: SilencedByProject, texts: Texts) -> AnalysisReport:
        """The report with what the project itself silences, when every file was looked at."""
        lines = tuple(map(texts.of, found.messages()))
        return self._replace(silenced=lines, summary={**self.summary, "silenced": found.sources})

    def with_third_party(self, found: ThirdParty) -> AnalysisReport:
        """The report with what the files show together, and the counts of that."""
        counts = {
            "affected": len(found.affected),
            "packages": len(found.packages),
            "failing_packages": sum(use.fails for use in found.packages),
        }
        return self._replace(third_party=found, summary={**self.summary, **counts})


def analysis_of(
    checked: Iterable[Examination], kernels: Sequence[KernelFile], options: MigrationOptions, texts: Texts
) -> AnalysisReport:
    """Everything that was found, and the counts."""
    diagnostics: list[Diagnostic] = []
    restricted: list[Diagnostic] = []
    advice: list[Diagnostic] = []
    problems: list[FileProblem] = []
    unresolved: list[OpenMember] = []
    tables: Counter[str] = Counter()
    counter = WorkCounter()
    files = 0
    for file in checked:
        files += 1
        path = file.path
        if file.problem is not None:
            problems.append(FileProblem(path, texts.of(file.problem), file.traceback))
        with_restricted = options.restricted_apis
        findings, restricted_uses = (
            (file.findings, ()) if with_restricted else split_restricted(file.findings, lambda item: item)
        )
        findings, advised = split_advice(findings, lambda item: item)
        shown_findings = diagnose(file, texts, findings)
        pairs = zip(findings, shown_findings, strict=False)  # without a text nothing is shown
        _count_work(counter, file.way, pairs, unsafe=options.unsafe_fixes)
        diagnostics += shown_findings
        advice += diagnose(file, texts, advised)
        restricted += diagnose(file, texts, restricted_uses)
        unresolved += [OpenMember(path, member, texts.of(member.reason)) for member in file.unresolved]
        tables.update(filter(None, map(table_of, findings)))
    counts = {name: tables[table] for table, name in _TABLES.items()}
    counts["cuda_ops"] += sum(len(item.names) for item in kernels)
    summary = {
        "files": files,
        "findings": len(diagnostics),
        **_by_severity(diagnostics),
        **_by_applicability(diagnostics),
        **counts,
        "restricted": len(restricted),
        "advice": len(advice),
        "unresolved": len(unresolved),
        "troubled": len(problems),
        "silenced": 0,
        "affected": 0,
        "packages": 0,
        "failing_packages": 0,
    }
    lists = (tuple(diagnostics), tuple(restricted), tuple(problems), tuple(unresolved), tuple(kernels))
    return AnalysisReport(*lists, summary, advice=tuple(advice), work=counter.work())


def _count_work(
    counter: WorkCounter, way: Way, found: Iterable[tuple[Finding, Diagnostic]], *, unsafe: bool
) -> None:
    """Count what a migration would edit in a file, and what it would leave."""
    edited: set[tuple[int, int]] = set()
    left: list[tuple[Finding, Hashable]] = []
    for finding, item in found:
        if item.fix is not None and (unsafe or item.fix.applicability is Applicability.SAFE):
            edited.update(place for edit in item.fix.edits for place in _edited_lines(edit))
        else:
            left.append((finding, (item.cell, item.start.row)))
    counter.add(left, way, len(edited))


def _edited_lines(edit: ShownEdit) -> Iterator[tuple[int, int]]:
    """The lines of the project that an edit changes; none where it adds lines, as an import is."""
    if edit.start != edit.end or "\n" not in edit.content:
        yield from ((edit.cell or 0, row) for row in range(edit.start.row, edit.end.row + 1))


def _by_severity(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    counts = Counter(item.severity for item in diagnostics)
    return {
        "errors": counts[Severity.ERROR],
        "warnings": counts[Severity.WARNING],
        "information": counts[Severity.INFORMATION],
        "hints": counts[Severity.HINT],
    }


def _by_applicability(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    fixes = Counter(item.fix.applicability for item in diagnostics if item.fix is not None)
    return {
        "safe_fixes": fixes[Applicability.SAFE],
        "unsafe_fixes": fixes[Applicability.UNSAFE],
        "manual": sum(item.fix is None for item in diagnostics),
    }


def analysis_lines(
    analysis: AnalysisReport, options: MigrationOptions, texts: Texts, terminal: Terminal
) -> Iterator[str]:
    """One line a finding and a file with kernels, then the counts."""
    report = CheckReport(analysis.diagnostics, unsafe_fixes=options.unsafe_fixes)
    yield from diagnostic_lines(report, texts, terminal)
    for item in analysis.kernels:
        yield texts("cli.analyze.kernels", path=shown(item.path), names=", ".join(item.names))
    yield from _kernel_lines(analysis.sized, texts)
    if AnalysisMode.THIRD_PARTY.value in options.modes:
        yield from third_party_lines(analysis.third_party, texts)
    yield from advice_lines(analysis.advice, texts, terminal)
    version, hardware = options.require_version(), options.hardware.value
    yield texts("cli.analyze.headline", version=version, hardware=hardware)
    for line in table(tuple(_rows(analysis, texts)), right=frozenset({1})):
        yield f"  {line}"
    if analysis.work is not None:
        yield from work_lines(analysis.work, texts)


def _kernel_lines(kernels: Sequence[SizedKernel], texts: Texts) -> Iterator[str]:
    """A line for each kernel, and the total."""
    if not kernels:
        return
    chapter = kernel_chapter(kernels, texts)
    for row in chapter.rows:
        yield texts("kernel.line", **row._asdict())
    yield chapter.total


def _rows(analysis: AnalysisReport, texts: Texts) -> Iterator[tuple[str, str, str]]:
    outside = _by_severity([item for item in analysis.diagnostics if item.way.is_outside])
    summary = {**analysis.summary, "beside": sum(outside.values()) - outside["hints"]}
    summary["findings"] -= summary["hints"]
    severities = ("errors", "warnings", "information", "hints")
    fixes = ("safe_fixes", "unsafe_fixes", "manual")
    detail = {
        "findings": texts("cli.summary.severities", **{name: summary[name] for name in severities}),
        "beside": texts("cli.summary.severities", **outside),
        "safe_fixes": texts("cli.analyze.fixes", **{name: summary[name] for name in fixes}),
        "restricted": texts("cli.analyze.restricted") if summary["restricted"] else "",
        "unresolved": texts("cli.analyze.unresolved") if summary["unresolved"] else "",
        "affected": texts("cli.analyze.affected"),
        "packages": texts("cli.analyze.packages", failing=summary["failing_packages"]),
    }
    rows = [
        "files",
        "findings",
        *(["beside"] if summary["beside"] else []),
        "safe_fixes",
        "unsupported",
        "unknown",
        "restricted",
        "cuda_ops",
        "unresolved",
    ]
    rows += [name for name in ("advice", "affected", "packages", "troubled") if summary[name]]
    for name in rows:
        yield texts(f"cli.summary.{name}"), str(summary[name]), detail.get(name, "")


def analysis_json(
    analysis: AnalysisReport,
    path: Path,
    options: MigrationOptions,
    exit_code: int,
    texts: Texts,
    page: str | None = None,
) -> str:
    """The document of ``--json``, as docs/schemas/analyze.schema.json describes it."""
    document = {
        "gpu2ascend": __version__,
        "version": str(options.require_version()),
        "hardware": options.hardware.value,
        "path": absolute(str(path)),
        "exit_code": exit_code,
        "html": absolute(page) if page else None,
        "summary": analysis.summary,
        "effort": None if analysis.work is None else work_data(analysis.work, texts),
        "findings": [as_json(item) for item in analysis.diagnostics],
        "restricted": [as_json(item) for item in analysis.restricted],
        "advice": [as_json(item) for item in analysis.advice],
        "unresolved": [_open_member(item) for item in analysis.unresolved],
        "kernels": [
            {"filename": absolute(item.path), "names": list(item.names)} for item in analysis.kernels
        ],
        "kernel_sizes": kernel_data(analysis.sized, texts),
        "modes": sorted(mode.value for mode in options.analysis_modes),
        "third_party": third_party_data(analysis.third_party, texts),
        "silenced": list(analysis.silenced),
        "problems": [{"filename": absolute(item.path), "message": item.reason} for item in analysis.problems],
    }
    return json_text(numbered(document))


def _open_member(item: OpenMember) -> dict[str, Any]:
    spot = item.member.question.member
    return {
        "filename": absolute(item.path),
        "location": {"row": spot.line, "column": spot.column + 1},
        "name": item.member.question.name,
        "apis": sorted({finding.api for _, finding in item.member.prospects if finding.api}),
        "reason": item.reason,
    }
