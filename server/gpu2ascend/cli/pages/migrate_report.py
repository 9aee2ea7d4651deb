"""What ``migrate`` says in the end: to people, and to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.outcome import AppliedFix, CellLine, RemainingFinding

from ... import __version__
from ...project.in_place.in_place import Branch
from ...project.manifest.base import BASE_NAME
from ...project.paths import listed, shown, size_text
from ...project.report.causes import by_cause, further_places
from ...project.report.effort.described import work_data, work_lines
from ...project.report.merge import Lines, Merge
from ...project.report.reports import in_cell
from ...project.report.result import FileOutcome, MigrationRequest, MigrationResult, Summary
from ...project.report.verdict.way import Way
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ...texts.plain_data import plain_data
from ...texts.shell import shell_word
from ..in_place import branch_json
from ..output.terminal import Terminal, table

_NAMED_PATHS = 20
"""Paths that a line names."""


def merge_lines(merge: Merge, texts: Texts) -> Iterator[str]:
    """What was merged, what is in conflict and where, what is new and what is gone."""
    for conflict in merge.conflicts:
        where = ", ".join(_lines_place(lines, texts) for lines in conflict.lines)
        path = f"{conflict.path}:{where}" if where else conflict.path
        yield texts("cli.migrate.conflict", path=path, reason=texts.of(conflict.reason))
    renamed = [f"{old} -> {new}" for old, new in merge.renamed]
    named = {"merged": merge.merged, "new": merge.new, "gone": merge.gone, "renamed": renamed}
    for name, paths in named.items():
        if paths:
            yield texts(f"cli.migrate.update_{name}", count=len(paths), names=listed(paths, _NAMED_PATHS))
    for report in merge.kept_reports:
        yield texts("cli.migrate.kept_report", path=report)
    yield texts(
        "cli.migrate.update_counts",
        updated=merge.updated,
        merged=len(merge.merged),
        conflicts=len(merge.conflicts),
        new=len(merge.new),
        gone=len(merge.gone),
        yours=merge.yours,
    )


def merge_json(merge: Merge | None, texts: Texts) -> dict[str, Any] | None:
    """The same for programs."""
    if merge is None:
        return None
    renamed = [{"from": old, "to": new} for old, new in merge.renamed]
    return {**plain_data(merge, texts), "renamed": renamed}


def _lines_place(lines: Lines, texts: Texts) -> str:
    place = f"{lines.start}-{lines.end}"
    return place if lines.cell is None else texts("cli.migrate.cell_place", cell=lines.cell, lines=place)


_SHOWN = 20
"""Places listed on a terminal; the reports have them all."""


class LeftOver(NamedTuple):
    """An error or a warning that is left, or a file that could not be examined."""

    path: str
    line: int | None
    text: str
    is_warning: bool = False
    """Whether a migration is complete all the same."""
    is_outside: bool = False
    """Whether it is in a file that no training reaches."""


def left_overs(outcome: FileOutcome, project: Path, texts: Texts) -> Iterator[LeftOver]:
    """What is to be done in a file, with the path at which a terminal and an editor find the file."""
    path = shown(project.joinpath(*outcome.path.split("/")))
    if outcome.problem is not None:
        yield LeftOver(path, None, texts.of(outcome.problem))
    for item in outcome.remaining:
        severity = item.finding.severity
        if severity in (Severity.ERROR, Severity.WARNING):
            text_in_cell = in_cell(texts.of(item.finding.message), item.cell, texts.language)
            text = f"{item.finding.code} {text_in_cell}"
            yield LeftOver(path, item.start_line, text, severity is Severity.WARNING, outcome.way.is_outside)


def print_summary(result: MigrationResult, left: Sequence[LeftOver], out: Terminal, texts: Texts) -> None:
    """What was made, what is left to the user, and the counts."""
    for line in _left_lines(left, out, texts):
        out.line(line)
    headline, style = _headline(result, texts)
    out.line(headline, style)
    if result.merge is not None:
        out.lines(merge_lines(result.merge, texts))
    if out.is_terminal:
        for line in table(_rows(result.summary, texts), right=frozenset({1})):
            out.line(f"  {line}")
    else:
        out.line(texts("cli.migrate.counts", **_counts(result.summary)))
    if result.work is not None:
        out.lines(work_lines(result.work, texts))
    if result.output_path is not None and result.reports:
        out.line(texts("cli.migrate.reports", names=", ".join(result.reports)))
    if result.base_size is not None:
        out.line(texts("cli.migrate.base", path=BASE_NAME, size=size_text(result.base_size)))
    if result.output_path is not None and result.environment is not None:
        out.line(texts("cli.migrate.environment", path=shell_word(result.output_path / result.environment)))


def _left_lines(left: Sequence[LeftOver], out: Terminal, texts: Texts) -> Iterator[str]:
    """The causes, those that keep the migration from being complete first."""
    causes = sorted(by_cause(left, lambda item: item[2:]), key=_gravity)
    count = min(len(causes), _SHOWN) if out.is_terminal else len(causes)
    was_beside = False
    for first, *others in causes[:count]:
        if first.is_outside and not was_beside:
            was_beside = True
            yield texts("cli.verdict.beside")
        more = further_places(map(_place, others), len(others), texts.language)
        mark = f" [{texts('cli.severity.warning')}]" if first.is_warning else ""
        yield f"{out.style(_place(first), 'bold')}: {first.text}{mark}{more}"
    if len(causes) > count:
        yield texts("cli.migrate.more", count=sum(map(len, causes[count:])))


def _gravity(cause: Sequence[LeftOver]) -> tuple[bool, bool]:
    return cause[0].is_outside, cause[0].is_warning


def _place(item: LeftOver) -> str:
    return item.path if item.line is None else f"{item.path}:{item.line}"


def _headline(result: MigrationResult, texts: Texts) -> tuple[str, str]:
    is_complete = result.verdict.can_be_expected_to_train
    state = "complete" if is_complete else "incomplete"
    style = "green" if is_complete else "yellow"
    if result.output_path is None:
        return texts(f"cli.migrate.preview_{state}", version=result.version), style
    path = shown(result.output_path)
    return texts(f"cli.migrate.{state}", path=path, version=result.version), style


def _counts(summary: Summary) -> dict[str, int]:
    return {
        "files": summary.files,
        "changed": summary.changed_files,
        "edits": summary.edits,
        "unsupported": summary.unsupported,
        "unknown": summary.unknown,
        "restricted": summary.restricted,
        "unresolved": summary.unresolved,
        "left": summary.left_to_you,
        "errors": summary.errors,
        "troubled": summary.troubled_files,
    }


def _rows(summary: Summary, texts: Texts) -> list[tuple[str, str, str]]:
    counts = _counts(summary)
    rows = [
        (texts(f"cli.summary.{name}"), str(counts[name]), "")
        for name in ("files", "changed", "edits", "unsupported", "unknown", "restricted", "unresolved")
    ]
    severities = texts(
        "cli.summary.severities",
        errors=summary.errors,
        warnings=summary.warnings,
        information=summary.information,
        hints=summary.hints,
    )
    rows.append((texts("cli.summary.left"), str(summary.left_to_you), severities))
    beside = summary.errors_beside + summary.warnings_beside + summary.information_beside
    if beside:
        rows.append((texts("cli.summary.beside"), str(beside), ""))
    if summary.advice:
        rows.append((texts("cli.summary.advice"), str(summary.advice), ""))
    if summary.troubled_files:
        rows.append((texts("cli.summary.troubled"), str(summary.troubled_files), ""))
    return rows


def migration_json(
    request: MigrationRequest,
    result: MigrationResult,
    outcomes: Sequence[FileOutcome],
    texts: Texts,
    branch: Branch | None = None,
) -> str:
    """The result document of ``--json``, as docs/schemas/migrate.schema.json describes it."""
    document = {
        "gpu2ascend": __version__,
        "version": str(result.version),
        "hardware": request.options.hardware.value,
        "input": shown(request.input),
        "output": shown(result.output_path) if result.output_path is not None else None,
        "exit_code": result.exit_code,
        "summary": {**attrs.asdict(result.summary), "left_to_you": result.summary.left_to_you},
        "update": merge_json(result.merge, texts),
        "branch": branch_json(branch),
        "reports": list(result.reports),
        "environment": result.environment,
        "verdict": verdict_json(result, texts),
        "effort": None if result.work is None else work_data(result.work, texts),
        "notices": [texts.of(notice) for notice in result.notices],
        "files": [_file(outcome, texts) for outcome in outcomes],
    }
    return json_text(numbered(document))


def verdict_json(result: MigrationResult, texts: Texts) -> dict[str, Any]:
    """What may be said of the project, for programs."""
    verdict = result.verdict
    return {
        "state": verdict.state.value,
        "text": texts.of_usual(verdict.sentence()),
        "details": plain_data([*verdict.details()], texts),
        "entries": plain_data(verdict.entries),
        "errors_beside": verdict.errors_beside,
    }


def _file(outcome: FileOutcome, texts: Texts) -> dict[str, Any]:
    return {
        "path": outcome.path,
        "status": outcome.status.value,
        "problem": texts.of(outcome.problem) if outcome.problem is not None else None,
        "on_the_way": not outcome.way.is_outside,
        "edits": [_edit(applied, texts) for applied in outcome.applied],
        "remaining": [_remaining(item, outcome.way, texts) for item in outcome.remaining],
        "restricted": [_remaining(item, outcome.way, texts) for item in outcome.restricted],
        "advice": [_remaining(item, outcome.way, texts) for item in outcome.advice],
        "kernels": list(outcome.kernels),
        "diff": outcome.diff,
    }


def _edit(applied: AppliedFix, texts: Texts) -> dict[str, Any]:
    return {
        "code": applied.code,
        "operation": applied.operation,
        "message": texts.of(applied.message),
        "start_line": applied.start_line,
        "end_line": applied.end_line,
        **_cell(applied.cell),
    }


def _remaining(item: RemainingFinding, way: Way, texts: Texts) -> dict[str, Any]:
    finding = item.finding
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": texts.of(finding.message),
        "api": finding.api,
        "kind": finding.kind,
        "applicability": finding.applicability.value,
        "reached_from": list(way.reached_from),
        "start_line": item.start_line,
        "end_line": item.end_line,
        **_cell(item.cell),
    }


def _cell(cell: CellLine | None) -> dict[str, int]:
    """Of a notebook: the cell and the line in it."""
    return {} if cell is None else {"cell": cell.cell, "cell_line": cell.line}
