"""What a client gets for a finished migration: files, reports, and where what is left stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.lsp.commands.results.finding_data import finding_data, line_range, range_data
from gpu2ascend.lsp.commands.results.migration_result import migration_result, summary_data
from gpu2ascend.project.migrate.migration_process import Migrated
from gpu2ascend.project.report.result import (
    FileOutcome,
    FileStatus,
    MigrationRequest,
    MigrationResult,
    Summary,
)
from gpu2ascend.project.report.verdict.way import Standing, Way
from gpu2ascend_rules.messages import catalogue
from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.outcome import CellLine
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import option_name
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex
from tests.server.project.report.html.pages import edit, left
from tests.server.project.samples import OPTIONS, make_tree

SAYS = Message.of("project.broken-edit")
TEXT = "a = 1\ns = '\U0001f600'; b = 22\n"
START = len(b"a = 1\ns = '") + 4 + len("'; ")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "out", {"pkg/a.py": TEXT, "bad.py": b"\xff\xfe", "notes.txt": TEXT})


def result(output: Path, *files: FileOutcome, **changes: Any) -> dict[str, Any]:
    request = MigrationRequest(input=output.parent / "in", output=output.parent, options=OPTIONS)
    made = {"output_path": output, "version": Version(2, 8), "summary": Summary(), **changes}
    migrated = Migrated(MigrationResult(**made), files)
    return migration_result(request, migrated, ColumnUnit.UTF16, "en")


def test_the_run_as_a_whole(output: Path) -> None:
    reports = ("a.csv", "msFmkTranspltlog.txt", "report.html", "msFmkTranspltlog.txt.1")
    told = result(output, summary=Summary(errors=2, hints=3), reports=reports, notices=(SAYS,))
    assert (told["status"], told["isComplete"], told["version"]) == ("completed", False, "2.8.0")
    assert (told["inputPath"], told["outputPath"]) == (str(output.parent / "in"), str(output))
    assert told["hardware"] == OPTIONS.hardware.value
    assert told["reports"] == [
        {"name": name, "path": str(output / name), "kind": kind}
        for name, kind in zip(reports, ("table", "log", "page", "file"), strict=True)
    ]
    assert len(told["notices"]) == 1 and told["files"] == told["findings"] == []
    assert result(output)["isComplete"]
    with pytest.raises(ValueError, match="nothing was written"):
        result(output, output_path=None)


@pytest.mark.parametrize("option", ["exclude", "graph", "mindspore_api"])
def test_an_option_is_called_as_the_form_calls_it(output: Path, option: str) -> None:
    says = Message.of("project.omitted", path="a.py", option=option_name(option))
    stuck = FileOutcome(path="a.py", status=FileStatus.UNREADABLE, problem=says)
    told = result(output, stuck, notices=(says,))
    title = catalogue("en")[f"option.{option}.title"]
    for text in (*told["notices"], told["files"][0]["problem"]):
        assert title in text and "--" not in text


def test_the_counts_by_their_names_in_json() -> None:
    counts = summary_data(Summary(changed_files=1, errors=2, warnings=3))
    assert (counts["changedFiles"], counts["errors"], counts["leftToYou"]) == (1, 2, 5)


def test_files_of_which_something_became_are_told(output: Path) -> None:
    told = result(
        output,
        FileOutcome("pkg/a.py", FileStatus.CHANGED, (edit(), edit())),
        FileOutcome("b.py", FileStatus.UNCHANGED, remaining=(left(),)),
        FileOutcome("c.py", FileStatus.FAILED, problem=SAYS),
    )
    first, second = told["files"]
    assert first == {
        "path": "pkg/a.py",
        "original": str(output.parent / "in" / "pkg" / "a.py"),
        "migrated": str(output / "pkg" / "a.py"),
        "status": "changed",
        "edits": 2,
        "problem": None,
    }
    assert (second["path"], second["status"]) == ("c.py", "failed") and second["problem"]


def finding(output: Path, path: str, line: int = 2, cell: CellLine | None = None) -> dict[str, Any]:
    item = left(line=line)
    item = item._replace(finding=item.finding._replace(start=START, end=START + 1), cell=cell)
    (told,) = result(output, FileOutcome(path, FileStatus.CHANGED, remaining=(item,)))["findings"]
    return dict(told)


def test_what_is_left_has_its_place_in_the_migrated_text_and_in_the_original(output: Path) -> None:
    told = finding(output, "pkg/a.py")
    assert told["range"] == {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 11}}
    assert told["file"] == str(output / "pkg" / "a.py")
    assert told["original"] == {
        "file": str(output.parent / "in" / "pkg" / "a.py"),
        "startLine": 1,
        "endLine": 1,
    }
    assert told["cell"] is None


@pytest.mark.parametrize("path", ["notes.txt", "bad.py", "gone.py"])
def test_of_a_file_that_cannot_be_looked_at_the_lines_are_told(output: Path, path: str) -> None:
    assert finding(output, path, line=5)["range"] == line_range(4, 4)
    told = finding(output, path, line=5, cell=CellLine(7, 3))
    assert (told["range"], told["cell"]) == (line_range(2, 2), 7)


def test_advice_is_told_after_what_is_left(output: Path) -> None:
    outcome = FileOutcome(
        "gone.py", FileStatus.UNCHANGED, remaining=(left(code="NPU104"),), advice=(left(code="ADV001"),)
    )
    assert [item["code"] for item in result(output, outcome)["findings"]] == ["NPU104", "ADV001"]


def test_a_finding_as_plain_data() -> None:
    item = left(Severity.HINT, "NPU104", "unknown", "torch.x").finding
    way = Way(Standing.BESIDE, ("serve.py",))
    data = finding_data(item, "a.py", "/p/a.py", {"start": 1}, "en", 3, way)
    assert data["rule"] and data["family"] and "something" in data.pop("message")
    assert {name: value for name, value in data.items() if name not in ("rule", "family")} == {
        "code": "NPU104",
        "severity": "hint",
        "kind": "unknown",
        "api": "torch.x",
        "applicability": "manual",
        "path": "a.py",
        "file": "/p/a.py",
        "range": {"start": 1},
        "cell": 3,
        "onTheWay": False,
        "reachedFrom": ["serve.py"],
    }
    nobody = finding_data(item._replace(code="XYZ001"), "a.py", "/p/a.py", {}, "en")
    assert (nobody["rule"], nobody["family"], nobody["cell"]) == ("", "", None)


def test_ranges_are_in_the_columns_of_the_client_or_of_whole_lines() -> None:
    lines = LineIndex(TEXT.encode())
    columns = {
        unit.value: range_data(lines, START, START + 1, unit)["start"]["character"] for unit in ColumnUnit
    }
    assert columns == {"utf-8": 12, "utf-16": 10, "utf-32": 9}
    assert line_range(3, 5) == {"start": {"line": 3, "character": 0}, "end": {"line": 6, "character": 0}}
