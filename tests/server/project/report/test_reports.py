"""Tables and the log."""

from __future__ import annotations

import csv
from pathlib import Path

from gpu2ascend.project.manifest.report_names import report_names
from gpu2ascend.project.report.csv_report import CsvReport
from gpu2ascend.project.report.log import MAX_BYTES, MigrationLog
from gpu2ascend.project.report.reports import count_outcome, operator_of
from gpu2ascend.project.report.result import FileOutcome, FileStatus, Summary
from gpu2ascend_rules.model.finding import Finding, Message, Severity
from gpu2ascend_rules.model.outcome import AppliedFix, RemainingFinding
from tests.server.project.samples import names


def test_cells_survive_whatever_is_in_them(tmp_path: Path) -> None:
    row = ['a,"b".py', "1", "2", "'x'", "`f(a, b)`; see 文档\twith a tab"]
    report = CsvReport(tmp_path / "r.csv", ["File", "Start", "End", "OP", "Tips"])
    report.add(row)
    report.close()
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1] == row
    assert (tmp_path / "r.csv").read_bytes().startswith(b"\xef\xbb\xbfFile,")
    assert names(tmp_path) == ["r.csv"]


def test_names_of_reports_avoid_those_of_the_project() -> None:
    taken = {"change_list.csv", "change_list_msft.csv", "msFmkTranspltlog.txt.2"}
    chosen = report_names(taken.__contains__)
    assert chosen["change_list"] == "change_list_msft2.csv"
    assert chosen["log"] == "msFmkTranspltlog_msft.txt"
    assert chosen["unknown_api"] == "unknown_api.csv"


def test_the_log_is_cut_into_ten_files_of_a_megabyte(tmp_path: Path) -> None:
    log = MigrationLog(tmp_path / "log.txt", "en")
    line = Message.of("project.log-problem", path="a.py", reason="x" * 100_000)
    for _ in range(130):
        log.write(line, Severity.ERROR)
    log.close()
    assert names(tmp_path) == ["log.txt", *(f"log.txt.{number}" for number in range(1, 10))]
    assert all(path.stat().st_size <= MAX_BYTES for path in tmp_path.iterdir())
    assert set(log.names()) == set(names(tmp_path))


def test_findings_are_counted_by_severity_and_by_table() -> None:
    def remaining(severity: Severity, kind: str = "") -> RemainingFinding:
        return RemainingFinding(Finding("NPU1", 0, 1, Message("m"), severity, kind=kind), 1, 1)

    outcome = FileOutcome(
        "a.py",
        FileStatus.CHANGED,
        applied=(AppliedFix("NPU1", Message("m"), 1, 1, "MODIFY"),),
        remaining=(
            remaining(Severity.ERROR, "unsupported"),
            remaining(Severity.WARNING),
            remaining(Severity.INFORMATION, "unknown"),
            remaining(Severity.HINT, "cuda_op"),
        ),
        kernels=("k",),
    )
    summary = Summary()
    count_outcome(summary, outcome)
    assert (summary.edits, summary.changed_files, summary.left_to_you) == (1, 1, 3)
    assert (summary.errors, summary.warnings, summary.information, summary.hints) == (1, 1, 1, 1)
    assert (summary.unsupported, summary.unknown, summary.cuda_ops) == (1, 1, 2)


def test_an_operator_is_the_api_or_what_the_message_names() -> None:
    named = Finding("NPU1", 0, 1, Message.of("m", api="torch.x"), Severity.ERROR)
    assert operator_of(named, "text") == "torch.x"
    assert operator_of(named._replace(api="torch.y"), "text") == "torch.y"
    assert operator_of(named._replace(message=Message("m")), "text") == "text"
