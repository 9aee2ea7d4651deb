"""What each output format of ``check`` holds, checked against the format's own definition."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from gpu2ascend.cli.formats.github import github_lines
from gpu2ascend.cli.formats.report import CheckReport, FileProblem, MadeFix, Trouble
from gpu2ascend.cli.formats.ruff_json import report_json
from gpu2ascend.cli.formats.sarif import sarif_json
from gpu2ascend.cli.formats.text import text_lines
from gpu2ascend.cli.output.diagnostics import Diagnostic, RowColumn, ShownEdit, ShownFix, diagnose
from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.project.examination import Examination
from gpu2ascend.project.report.verdict.way import Standing, Way
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Applicability, Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

EN = Texts("en")


def diagnostic(**changes: Any) -> Diagnostic:
    """A diagnostic like those of a rename."""
    edit = ShownEdit(RowColumn(3, 5), RowColumn(3, 15), "torch_npu.npu")
    fix = ShownFix(Applicability.SAFE, "Replace with `torch_npu.npu`", (edit,))
    plain = Diagnostic(
        code="NPU101",
        name="cuda-namespace",
        message="`torch.cuda.x` is CUDA only",
        severity=Severity.WARNING,
        api="torch.cuda.x",
        path="pkg/a.py",
        start=RowColumn(3, 5),
        end=RowColumn(3, 15),
        fix=fix,
    )
    return plain._replace(**changes)


UNSAFE = diagnostic(fix=ShownFix(Applicability.UNSAFE, "Do it", ()))
MANUAL = diagnostic(code="NPU199", name="", severity=Severity.ERROR, fix=None, api=None)


class TestPlaces:
    def test_rows_and_columns_count_code_points_from_1(self) -> None:
        text = 'import torch\ns = "😀é文"; torch.cuda.synchronize()\n'
        source = SourceFile(text)
        findings = check(source, options_from({"version": "2.8.0"}))
        found = diagnose(Examination(path="a.py", text=source.text, findings=findings), EN)
        assert [(item.start, item.end) for item in found] == [(RowColumn(2, 12), RowColumn(2, 34))]
        assert text.split("\n")[1][11:33] == "torch.cuda.synchronize"

    def test_edits_applied_by_their_places_give_the_fixed_text(self) -> None:
        text = 'import torch\r\nx = "文"; torch.cuda.synchronize()\r\n'
        source = SourceFile(text)
        (found,) = diagnose(
            Examination(
                path="a.py", text=source.text, findings=check(source, options_from({"version": "2.8.0"}))
            ),
            EN,
        )
        assert found.fix is not None and found.name == "cuda-namespace"
        lines = text.split("\r\n")
        for edit in sorted(found.fix.edits, reverse=True):
            assert edit.start.row == edit.end.row
            line = lines[edit.start.row - 1]
            before, after = line[: edit.start.column - 1], line[edit.end.column - 1 :]
            lines[edit.start.row - 1] = before + edit.content + after
        fixed = 'import torch\r\nimport torch_npu\r\nx = "文"; torch_npu.npu.synchronize()\r\n'
        assert "\r\n".join(lines) == fixed


class TestWays:
    """On the way of the training, or in files that no training reaches."""

    BESIDE = diagnostic(path="runtime/serve.py", way=Way(Standing.BESIDE, ("runtime/serve.py",)))

    def test_people_read_what_no_training_reaches_after_a_heading(self) -> None:
        lines = list(text_lines(CheckReport((self.BESIDE, MANUAL)), EN, Terminal(io.StringIO(), {})))
        assert [line.partition(":")[0] for line in lines[:3]] == [
            *("pkg/a.py", "In files that no training reaches", "runtime/serve.py")
        ]

    def test_without_anything_else_there_is_no_heading(self) -> None:
        lines = list(text_lines(CheckReport((self.BESIDE,)), EN, Terminal(io.StringIO(), {})))
        assert lines[0].startswith("runtime/serve.py:3:5: NPU101")

    def test_programs_get_the_entries(self) -> None:
        (found,) = json.loads(report_json(CheckReport((self.BESIDE,))))
        assert (found["on_the_way"], found["reached_from"]) == (False, ["runtime/serve.py"])
        (result,) = json.loads(sarif_json(CheckReport((self.BESIDE,)), EN))["runs"][0]["results"]
        assert (
            result["properties"].items() >= {"onTheWay": False, "reachedFrom": ["runtime/serve.py"]}.items()
        )

    def test_an_error_that_no_training_reaches_is_a_warning_to_what_annotates_code(self) -> None:
        error = diagnostic(path="serve.py", way=self.BESIDE.way, severity=Severity.ERROR)
        lines = list(github_lines(CheckReport((error, MANUAL))))
        assert [line.partition(",")[2].partition(",")[0] for line in lines] == [
            "file=pkg/a.py",
            "file=serve.py",
        ]
        assert lines[1].startswith("::warning ")
        (result,) = json.loads(sarif_json(CheckReport((error,)), EN))["runs"][0]["results"]
        assert result["level"] == "warning"

    def test_hints_come_last_and_are_counted_apart(self) -> None:
        lines = text_of(CheckReport((diagnostic(severity=Severity.HINT), self.BESIDE)))
        assert [line.partition(":")[0] for line in lines[:3]] == [
            *("runtime/serve.py", "Advice, without which the code runs as well", "pkg/a.py")
        ]
        assert lines[3] == (
            "Found 1 problem. [*] 1 fixable with --fix. Hints, which are advice: 1. [*] 1 fixable with --fix."
        )


class TestSilenced:
    def test_what_the_project_silences_is_an_entry_without_a_code(self) -> None:
        (told,) = json.loads(report_json(CheckReport((), silenced=("a.py: 2",))))
        assert (told["code"], told["name"], told["message"]) == (None, "silenced", "a.py: 2")


class TestJson:
    def test_has_the_keys_of_ruff_and_some_of_our_own(self) -> None:
        (found,) = json.loads(report_json(CheckReport((diagnostic(),))))
        ruff = {
            "cell", "code", "end_location", "filename", "fix", "location", "message", "name",
            "noqa_row", "severity", "url",
        }  # fmt: skip
        assert found.keys() == ruff | {"api", "format", "on_the_way", "reached_from"}
        assert found["filename"] == str(Path.cwd() / "pkg/a.py")
        assert found["location"] == {"row": 3, "column": 5}
        assert found["end_location"] == {"row": 3, "column": 15}
        assert found["severity"] == "warning" and found["api"] == "torch.cuda.x"
        assert found["noqa_row"] is None and found["url"] is None and found["cell"] is None
        assert found["fix"] == {
            "applicability": "safe",
            "message": "Replace with `torch_npu.npu`",
            "edits": [
                {
                    "content": "torch_npu.npu",
                    "location": {"row": 3, "column": 5},
                    "end_location": {"row": 3, "column": 15},
                }
            ],
        }

    def test_without_a_fix_it_is_null(self) -> None:
        (found,) = json.loads(report_json(CheckReport((MANUAL,))))
        assert found["fix"] is None and found["api"] is None

    def test_nothing_found_is_an_empty_list(self) -> None:
        assert json.loads(report_json(CheckReport(()))) == []

    def test_is_ascii_whatever_the_terminal_can_show(self) -> None:
        assert report_json(CheckReport((diagnostic(message="文件", path="数据.py"),))).isascii()


@pytest.mark.parametrize(
    ("trouble", "level", "successful"),
    [(Trouble.FAILED, "error", False), (Trouble.KEPT, "error", True), (Trouble.LOST, "warning", True)],
)
def test_a_problem_with_a_file_is_as_grave_as_its_trouble(
    trouble: Trouble, level: str, successful: bool
) -> None:
    report = CheckReport((), (FileProblem("b.py", "why", trouble=trouble),))
    (invocation,) = json.loads(sarif_json(report, EN))["runs"][0]["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["level"], invocation["executionSuccessful"]) == (level, successful)
    assert list(github_lines(report)) == [f"::{level} title=gpu2ascend,file=b.py::why"]
    entries = [(item["code"], item["name"], item["message"]) for item in json.loads(report_json(report))]
    assert entries == ([(None, "not-written", "why")] if trouble is Trouble.KEPT else [])
    assert text_of(report) == (["No problems found."] if trouble is Trouble.LOST else [])


LEVELS = {"none", "note", "warning", "error"}


def assert_region(region: dict[str, int]) -> None:
    assert region.keys() == {"startLine", "startColumn", "endLine", "endColumn"}
    assert all(isinstance(value, int) and value >= 1 for value in region.values())
    start = region["startLine"], region["startColumn"]
    assert start <= (region["endLine"], region["endColumn"])


def assert_artifact(artifact: dict[str, str]) -> None:
    assert artifact.keys() == {"uri"}
    assert urlparse(artifact["uri"]).scheme in ("file", "")
    assert re.fullmatch(r"[!-~]+", artifact["uri"])


def assert_sarif(log: dict[str, Any]) -> dict[str, Any]:
    """The parts of the SARIF 2.1.0 schema that the log uses; returns its run."""
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "gpu2ascend" and driver["version"]
    assert run["columnKind"] == "unicodeCodePoints"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["defaultConfiguration"]["level"] in LEVELS
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS and result["message"]["text"]
        for location in result["locations"]:
            assert_artifact(location["physicalLocation"]["artifactLocation"])
            assert_region(location["physicalLocation"]["region"])
        for fix in result.get("fixes", ()):
            assert fix["description"]["text"] and fix["artifactChanges"]
            for change in fix["artifactChanges"]:
                assert_artifact(change["artifactLocation"])
                assert change["replacements"]
                for replacement in change["replacements"]:
                    assert_region(replacement["deletedRegion"])
    for invocation in run["invocations"]:
        assert isinstance(invocation["executionSuccessful"], bool)
    return dict(run)


class TestSarif:
    def test_is_sarif(self) -> None:
        report = CheckReport((diagnostic(), MANUAL, UNSAFE), (FileProblem("b.py", "no text"),))
        run = assert_sarif(json.loads(sarif_json(report, EN)))
        assert [result["level"] for result in run["results"]] == ["warning", "error", "warning"]
        known, unknown = run["tool"]["driver"]["rules"]
        assert known["name"] == "cuda-namespace" and "What it does:" in known["fullDescription"]["text"]
        assert unknown == {"id": "NPU199", "defaultConfiguration": {"level": "error"}}
        assert run["invocations"][0]["executionSuccessful"] is False

    def test_the_fix_carries_its_edits_and_its_applicability(self) -> None:
        run = assert_sarif(json.loads(sarif_json(CheckReport((diagnostic(),)), EN)))
        (fix,) = run["results"][0]["fixes"]
        assert fix["properties"] == {"applicability": "safe"}
        (replacement,) = fix["artifactChanges"][0]["replacements"]
        assert replacement["insertedContent"] == {"text": "torch_npu.npu"}

    def test_nothing_found(self) -> None:
        run = assert_sarif(json.loads(sarif_json(CheckReport(()), EN)))
        assert run["results"] == [] and run["invocations"][0]["executionSuccessful"] is True

    def test_paths_are_uris(self, tmp_path: Path) -> None:
        path = str(tmp_path / "a b#c 数据.py")
        run = assert_sarif(json.loads(sarif_json(CheckReport((diagnostic(path=path),)), EN)))
        location = run["results"][0]["locations"][0]["physicalLocation"]
        uri = location["artifactLocation"]["uri"]
        assert unquote(urlparse(uri).path) == path and "%23c" in uri

    def test_titles_are_in_the_users_language(self) -> None:
        run = assert_sarif(json.loads(sarif_json(CheckReport((diagnostic(),)), Texts("zh"))))
        text = run["tool"]["driver"]["rules"][0]["shortDescription"]["text"]
        assert re.search(r"[\u4e00-\u9fff]", text)


class TestGithub:
    def test_one_workflow_command_a_finding(self) -> None:
        (line,) = github_lines(CheckReport((diagnostic(),)))
        assert line == (
            "::warning title=gpu2ascend (NPU101),file=pkg/a.py,line=3,col=5,endLine=3,endColumn=15"
            "::pkg/a.py:3:5: NPU101 `torch.cuda.x` is CUDA only"
        )

    @pytest.mark.parametrize(
        ("severity", "command"),
        [
            (Severity.ERROR, "error"),
            (Severity.WARNING, "warning"),
            (Severity.INFORMATION, "notice"),
            (Severity.HINT, "notice"),
        ],
    )
    def test_commands(self, severity: Severity, command: str) -> None:
        (line,) = github_lines(CheckReport((diagnostic(severity=severity),)))
        assert line.startswith(f"::{command} ")

    def test_what_would_end_the_command_is_escaped(self) -> None:
        odd = diagnostic(path="a,b:c%.py", message="100%\nsure\r: yes, so")
        (line,) = github_lines(CheckReport((odd,)))
        properties, _, text = line.removeprefix("::").partition("::")
        assert "file=a%2Cb%3Ac%25.py," in properties
        assert text.endswith("100%25%0Asure%0D: yes, so")

    def test_no_columns_across_lines(self) -> None:
        (line,) = github_lines(CheckReport((diagnostic(end=RowColumn(5, 2)),)))
        assert "line=3,endLine=5::" in line and "col" not in line.partition("::pkg")[0]

    def test_a_file_that_could_not_be_checked_is_an_error(self) -> None:
        (line,) = github_lines(CheckReport((), (FileProblem("b.py", "no text"),)))
        assert line == "::error title=gpu2ascend,file=b.py::no text"


def text_of(report: CheckReport, texts: Texts = EN) -> list[str]:
    return list(text_lines(report, texts, Terminal(io.StringIO(), {})))


class TestText:
    def test_one_line_a_finding_and_a_summary(self) -> None:
        assert text_of(CheckReport((diagnostic(), UNSAFE, MANUAL))) == [
            "pkg/a.py:3:5: NPU101 [*] `torch.cuda.x` is CUDA only",
            "pkg/a.py:3:5: NPU101 `torch.cuda.x` is CUDA only",
            "pkg/a.py:3:5: NPU199 `torch.cuda.x` is CUDA only",
            "Found 3 problems. [*] 1 fixable with --fix (1 more with --fix --unsafe-fixes).",
        ]

    @pytest.mark.parametrize(
        ("diagnostics", "summary"),
        [
            ([], "No problems found."),
            ([diagnostic()], "Found 1 problem. [*] 1 fixable with --fix."),
            ([UNSAFE], "Found 1 problem. None fixable with --fix (1 with --fix --unsafe-fixes)."),
            ([MANUAL, MANUAL], "Found 2 problems. None can be fixed automatically."),
        ],
    )
    def test_summaries(self, diagnostics: list[Diagnostic], summary: str) -> None:
        assert text_of(CheckReport(tuple(diagnostics)))[-1] == summary

    def test_unsafe_fixes_count_once_they_are_asked_for(self) -> None:
        lines = text_of(CheckReport((diagnostic(), UNSAFE), unsafe_fixes=True))
        assert " [*] " in lines[0] and lines[0].endswith(" (and 1 more: pkg/a.py:3:5)")
        assert lines[-1] == "Found 2 problems. [*] 2 fixable with --fix."

    def test_reports_what_was_fixed(self) -> None:
        fixed = (
            MadeFix("a.py", 3, "NPU101", "Replace with `x`"),
            MadeFix("a.py", 7, "NPU201", "Replace with `y`"),
            MadeFix("b.py", 1, "NPU101", "Replace with `x`"),
        )
        assert text_of(CheckReport((), fixed=fixed)) == [
            "Fixed a.py:",
            "  3: NPU101 Replace with `x`",
            "  7: NPU201 Replace with `y`",
            "Fixed b.py:",
            "  1: NPU101 Replace with `x`",
            "Edits made: 3, in files: 2.",
            "No problems found.",
        ]

    def test_is_not_clean_when_a_file_could_not_be_checked(self) -> None:
        assert text_of(CheckReport((), (FileProblem("b.py", "no text"),))) == []

    def test_colours_tell_the_severity(self) -> None:
        coloured = Terminal(io.StringIO(), {"FORCE_COLOR": "1"})
        line = next(text_lines(CheckReport((MANUAL,)), EN, coloured))
        assert "\x1b[31;1mNPU199\x1b[0m" in line
