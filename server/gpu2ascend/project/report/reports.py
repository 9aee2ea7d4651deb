"""The reports of a migration: what was changed, what is unsupported or unknown, which kernels there are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import REPLACEMENT, Finding, Message, Severity
from gpu2ascend_rules.model.outcome import ApiKind, ApiUse, CellLine, RemainingFinding

from ..errors import writing
from .causes import Cause, Causes, further_places
from .csv_report import CsvReport
from .result import FileOutcome, Summary
from .verdict.way import Way

_API_COLUMNS = ("File", "Start Line", "End Line", "OP", "Tips")
_USE_COLUMNS = ("File", "Start Line", "End Line", "Api", "Type", "Tips")
USE_TABLES = {
    ApiKind.SUPPORTED: "supported_api",
    ApiKind.CUSTOM_SUPPORTED: "custom_supported_api",
    ApiKind.DELETED: "deleted_api",
}
"""The tables of what became of each API that was used. What is unsupported is a finding, too."""
_COLUMNS = {
    "change_list": ("File", "Start Line", "End Line", "Operation Type", "Message"),
    "unsupported_api": _API_COLUMNS,
    "unknown_api": _API_COLUMNS,
    "restricted_api": _API_COLUMNS,
    "cuda_op_list": ("File", "Api"),
    **dict.fromkeys(USE_TABLES.values(), _USE_COLUMNS),
}


class Reports:
    """Writes every report while the outcomes of the files come in."""

    def __init__(self, directory: Path, names: dict[str, str], language: str) -> None:
        self._directory = directory
        self._language = language
        self._lists_uses = any(table in names for table in USE_TABLES.values())
        with writing(directory):
            self._tables = {
                table: CsvReport(directory / names[table], self._columns(table))
                for table in _COLUMNS
                if table in names
            }
            from .log import MigrationLog

            self.log = MigrationLog(directory / names["log"], language)
        self._causes = Causes()
        self._advice = Causes()
        self._table_names = tuple(names[table] for table in self._tables)

    def _columns(self, table: str) -> Sequence[str]:
        if table == "unsupported_api" and self._lists_uses:
            return _USE_COLUMNS
        return _COLUMNS[table]

    def add(self, outcome: FileOutcome) -> None:
        """Record one file. Raises OutputError: the disk is full, for instance."""
        with writing(self._directory):
            self._add_changes(outcome)
            for item in outcome.remaining:
                self._add_remaining(outcome, item)
            for item in outcome.advice:
                self._add_cause(self._advice, outcome, item)
            for item in outcome.restricted:
                self._add_api("restricted_api", outcome, item)
            for use in outcome.uses:
                self._add_use(outcome.path, use)
            for kernel in outcome.kernels:
                self._add_row("cuda_op_list", (outcome.path, kernel))
            if outcome.problem is not None:
                text = render(outcome.problem, self._language)
                # Of a notebook, only the cell with the problem was left as it is.
                is_of_cell = outcome.problem.id.endswith("-cell")
                key = "project.log-cell-problem" if is_of_cell else "project.log-problem"
                message = Message.of(key, path=outcome.path, reason=text)
                self.log.write(message, Severity.ERROR)

    def note(self, message: Message, severity: Severity = Severity.INFORMATION) -> None:
        """Add a line to the log. Raises OutputError: the disk is full, for instance."""
        with writing(self._directory):
            self.log.write(message, severity)

    def log_findings(self) -> None:
        """Write what is left to a person into the log, each cause once, with its places; then the advice.
        Raises OutputError: the disk is full, for instance."""
        with writing(self._directory):
            found = self._causes.in_order()
            self._log_causes([cause for cause in found if not cause.is_outside])
            beside = [cause for cause in found if cause.is_outside]
            more = (("project.log-beside", beside), ("project.log-advice", self._advice.in_order()))
            for title, causes in more:
                if causes:
                    self.log.write(Message.of(title, count=sum(cause.count for cause in causes)))
                    self._log_causes(causes)

    def _log_causes(self, causes: Sequence[Cause]) -> None:
        for cause in causes:
            place = cause.place + further_places(cause.more, cause.count - 1, self._language)
            message = Message.of("project.log-finding", place=place, code=cause.code, text=cause.text)
            self.log.write(message, cause.severity)

    def close(self) -> tuple[str, ...]:
        """Finish every report, and give their names. Raises OutputError: the disk is full, for instance."""
        with writing(self._directory):
            for table in self._tables.values():
                table.close()
            self.log.close()
        return (*self._table_names, *self.log.names())

    def abandon(self) -> None:
        """Close the files of a migration that came to nothing."""
        for table in self._tables.values():
            table.abandon()
        with suppress(OSError):
            self.log.close()

    def _add_changes(self, outcome: FileOutcome) -> None:
        if not outcome.applied:
            return
        for edit in outcome.applied:
            text = in_cell(render(edit.message, self._language), edit.cell, self._language)
            row = (outcome.path, edit.start_line, edit.end_line, edit.operation, f"{edit.code} {text}")
            self._add_row("change_list", row)
        self.log.write(Message.of("project.log-changed", path=outcome.path, count=len(outcome.applied)))

    def _add_remaining(self, outcome: FileOutcome, item: RemainingFinding) -> None:
        path, finding = outcome.path, item.finding
        text = render(finding.message, self._language)
        table = table_of(finding)
        if table == "cuda_op_list":
            self._add_row(table, (path, operator_of(finding, text)))
        elif table is not None:
            self._add_api(table, outcome, item)
        self._add_cause(self._causes, outcome, item)

    def _add_cause(self, causes: Causes, outcome: FileOutcome, item: RemainingFinding) -> None:
        finding = item.finding
        place = in_cell(f"{outcome.path}:{item.start_line}", item.cell, self._language)
        text = render(finding.message, self._language)
        causes.add(finding.code, finding.severity, text, place, is_outside=outcome.way.is_outside)

    def _add_api(self, table: str, outcome: FileOutcome, item: RemainingFinding) -> None:
        path, finding = outcome.path, item.finding
        text = render(finding.message, self._language)
        tip = f"{finding.code} {in_cell(text, item.cell, self._language)}"
        tip = with_way(tip, outcome.way, self._language)
        kind = (ApiKind.UNSUPPORTED.value,) if self._lists_uses else ()
        row = (path, item.start_line, item.end_line, operator_of(finding, text), *kind, tip)
        self._add_row(table, row)

    def _add_use(self, path: str, use: ApiUse) -> None:
        table = USE_TABLES.get(use.kind)
        if table is not None:
            tip = render(use.tip, self._language) if use.tip is not None else ""
            self._add_row(table, (path, use.start_line, use.end_line, use.api, use.kind.value, tip))

    def _add_row(self, table: str, row: Sequence[str | int]) -> None:
        """Add to a table, where the target has it."""
        if table in self._tables:
            self._tables[table].add(row)


def in_cell(text: str, cell: CellLine | None, language: str) -> str:
    """A text about a line of a notebook, with the line by which people know it; another as it is."""
    if cell is None:
        return text
    return render(Message.of("project.in-cell", cell=cell.cell, line=cell.line, text=text), language)


def with_way(tip: str, way: Way, language: str) -> str:
    """A tip of a table, which says where no training reaches the file: the vendor's columns have no group."""
    return render(Message.of("project.tip-beside", tip=tip), language) if way.is_outside else tip


def table_of(finding: Finding) -> str | None:
    """The table that lists a finding; the log lists all."""
    return {"unsupported": "unsupported_api", "unknown": "unknown_api", "cuda_op": "cuda_op_list"}.get(
        finding.kind
    )


def operator_of(finding: Finding, text: str) -> str:
    """The API that a finding is about."""
    named = dict(finding.message.arguments).get("api")
    return finding.api or (named if isinstance(named, str) else None) or text


def count_outcome(summary: Summary, outcome: FileOutcome) -> None:
    """Add one file to the counts, which are those of the reports' rows."""
    summary.count_status(outcome.status)
    summary.edits += len(outcome.applied)
    summary.replaced += sum(edit.kind == REPLACEMENT for edit in outcome.applied)
    summary.count_remaining(outcome.remaining, outcome.way)
    tables = [table_of(item.finding) for item in outcome.remaining]
    summary.unsupported += tables.count("unsupported_api")
    summary.unresolved += len(outcome.unresolved)
    summary.unknown += tables.count("unknown_api")
    summary.restricted += len(outcome.restricted)
    summary.advice += len(outcome.advice)
    summary.cuda_ops += tables.count("cuda_op_list") + len(outcome.kernels)
