"""What ``migrate`` says in the end: what is left, by its causes, and the counts."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.cli.pages.migrate_report import LeftOver, left_overs, migration_json, print_summary
from gpu2ascend.project.report.result import (
    FileOutcome,
    FileStatus,
    MigrationRequest,
    MigrationResult,
    Summary,
)
from gpu2ascend.project.report.verdict.way import Standing, Way
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.model.finding import Applicability, Message, Severity
from gpu2ascend_rules.model.outcome import AppliedFix, CellLine
from gpu2ascend_rules.model.versions import Version
from tests.server.project.report.html.pages import left
from tests.server.project.samples import OPTIONS
from tests.telling import tell_ids

PROJECT = Path("/in/proj")
PROBLEM = Message.of("project.broken-edit")
COUNTS = Summary(
    files=1, python_files=2, changed_files=3, edits=4, replaced=5, unsupported=6, unknown=7, restricted=8,
    unresolved=9, cuda_ops=10, errors=20, warnings=30, information=40, hints=50,
)  # fmt: skip
ALL_COUNTS = (
    "files=1, changed=3, edits=4, unsupported=6, unknown=7, restricted=8, unresolved=9, left=90, errors=20, "
)


@pytest.fixture(autouse=True)
def _ids(monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)


class Person(io.StringIO):
    """A stream at which a person looks."""

    def isatty(self) -> bool:
        return True


def result(summary: Summary, **changes: Any) -> MigrationResult:
    return MigrationResult(
        **{"output_path": PROJECT, "version": Version(2, 8), "summary": summary, **changes}
    )


def printed(made: MigrationResult, *found: LeftOver, to_person: bool = False, **environ: str) -> list[str]:
    stream = Person() if to_person else io.StringIO()
    print_summary(made, found, Terminal(stream, environ), Texts("en"))
    return stream.getvalue().splitlines()


def test_errors_warnings_and_trouble_are_left_with_the_path_at_which_the_file_is_found() -> None:
    found = tuple(
        left(severity, code=severity.value, line=line)._replace(cell=cell)
        for line, (severity, cell) in enumerate(
            [
                (Severity.HINT, None),
                (Severity.WARNING, None),
                (Severity.INFORMATION, None),
                (Severity.ERROR, CellLine(3, 4)),
            ],
            5,
        )
    )
    path = str(PROJECT / "pkg" / "a.py")
    items = list(
        left_overs(FileOutcome("pkg/a.py", FileStatus.FAILED, remaining=found), PROJECT, Texts("en"))
    )
    text = "«project.log-finding(place=p, code=c, text=something `is` left)»"
    assert items == [
        LeftOver(path, 6, f"warning {text}", True),
        LeftOver(path, 8, f"error «project.in-cell(cell=3, line=4, text={text})»", False),
    ]
    (trouble,) = left_overs(FileOutcome("a.py", FileStatus.FAILED, problem=PROBLEM), PROJECT, Texts("en"))
    assert trouble == LeftOver(str(PROJECT / "a.py"), None, "«project.broken-edit»", False)


def test_each_cause_is_one_line_with_its_places_and_what_stands_in_the_way_comes_first() -> None:
    found = [
        LeftOver("a.py", 1, "W1", True),
        LeftOver("b.py", None, "E2"),
        LeftOver("c.py", 3, "W1", True),
        LeftOver("d.py", 4, "W1"),
    ]
    assert printed(result(Summary()), *found)[:3] == [
        "b.py: E2",
        "d.py:4: W1",
        "a.py:1: W1 [«cli.severity.warning»]«project.further-places(count=1, places=c.py:3)»",
    ]


@pytest.mark.parametrize(("count", "left_out"), [(20, 0), (21, 2), (25, 10)])
def test_a_person_sees_twenty_causes_and_how_many_places_more_there_are(count: int, left_out: int) -> None:
    found = [LeftOver("a.py", line, f"E{number}") for number in range(count) for line in (1, 2)]
    lines = printed(result(Summary()), *found, to_person=True, NO_COLOR="1")
    assert sum(line.startswith("a.py:1: E") for line in lines) == 20
    more = [line for line in lines if "cli.migrate.more" in line]
    assert more == ([f"«cli.migrate.more(count={left_out})»"] if left_out else [])
    all_lines = printed(result(Summary()), *found)
    assert sum(line.startswith("a.py:1: E") for line in all_lines) == count
    assert not any("cli.migrate.more" in line for line in all_lines)


@pytest.mark.parametrize(
    ("summary", "output", "headline", "colour"),
    [
        (Summary(), PROJECT, f"cli.migrate.complete(path={PROJECT}, version=2.8.0)", 32),
        (Summary(errors=1), PROJECT, f"cli.migrate.incomplete(path={PROJECT}, version=2.8.0)", 33),
        (Summary(warnings=1), None, "cli.migrate.preview_complete(version=2.8.0)", 32),
        (Summary(obstacles=1), None, "cli.migrate.preview_incomplete(version=2.8.0)", 33),
    ],
)
def test_the_headline_says_whether_the_project_can_be_expected_to_train(
    summary: Summary, output: Path | None, headline: str, colour: int
) -> None:
    made = result(summary, output_path=output)
    assert f"«{headline}»" in printed(made)
    coloured = printed(made, FORCE_COLOR="1")
    assert f"\x1b[{colour}m«{headline}»\x1b[0m" in coloured


def test_a_program_gets_all_counts_in_a_line() -> None:
    assert printed(result(COUNTS))[1] == f"«cli.migrate.counts({ALL_COUNTS}troubled=0)»"
    summary = Summary(unparsable=1, undecodable=10, unreadable=100, failed=1000)
    assert "errors=0, troubled=1111)" in printed(result(summary))[1]


def test_a_person_gets_a_table_of_the_counts() -> None:
    lines = printed(result(COUNTS), to_person=True, NO_COLOR="1")[1:]
    rows = [tuple(line.split(maxsplit=2)) for line in lines]
    assert rows == [
        ("«cli.summary.files»", "1"),
        ("«cli.summary.changed»", "3"),
        ("«cli.summary.edits»", "4"),
        ("«cli.summary.unsupported»", "6"),
        ("«cli.summary.unknown»", "7"),
        ("«cli.summary.restricted»", "8"),
        ("«cli.summary.unresolved»", "9"),
        (
            "«cli.summary.left»",
            "90",
            "«cli.summary.severities(errors=20, warnings=30, information=40, hints=50)»",
        ),
    ]
    assert lines[0].endswith("    1") and lines[7].startswith("  «cli.summary.left»")


def test_advice_and_trouble_are_counted_where_there_is_any() -> None:
    lines = printed(result(Summary(advice=2, failed=3)), to_person=True, NO_COLOR="1")
    assert [line.split() for line in lines[-2:]] == [
        ["«cli.summary.advice»", "2"],
        ["«cli.summary.troubled»", "3"],
    ]


def test_the_reports_and_the_environment_are_named_where_they_were_written() -> None:
    named = {"reports": ("a.csv", "b.html"), "environment": "env.sh"}
    assert printed(result(Summary(), **named))[2:] == [
        "«cli.migrate.reports(names=a.csv, b.html)»",
        f"«cli.migrate.environment(path={PROJECT / 'env.sh'})»",
    ]
    assert printed(result(Summary(), output_path=None, **named))[2:] == []
    assert printed(result(Summary()))[2:] == []


def document(made: MigrationResult, *outcomes: FileOutcome) -> dict[str, Any]:
    request = MigrationRequest(input=PROJECT, output=Path("/out"), options=OPTIONS)
    loaded: dict[str, Any] = json.loads(migration_json(request, made, outcomes, Texts("en")))
    return loaded


def test_what_no_training_reaches_comes_last_after_a_heading() -> None:
    beside = LeftOver("/in/b.py", 1, "NPU1 stuck", is_outside=True)
    warning = LeftOver("/in/a.py", 2, "NPU2 slow", is_warning=True)
    found = printed(result(COUNTS), beside, warning)
    assert [line.partition(":")[0] for line in found[:3]] == [
        *("/in/a.py", "«cli.verdict.beside»", "/in/b.py")
    ]


def test_the_document_for_programs() -> None:
    made = result(
        COUNTS, reports=("a.csv",), environment="env.sh", notices=(Message.of("project.broken-edit"),)
    )
    found = document(made)
    assert (found["version"], found["hardware"]) == ("2.8.0", OPTIONS.hardware.value)
    assert (found["input"], found["output"]) == (str(PROJECT), str(PROJECT))
    assert (found["exit_code"], found["environment"], found["reports"]) == (1, "env.sh", ["a.csv"])
    assert found["notices"] == ["«project.broken-edit»"] and found["files"] == []
    assert (found["summary"]["left_to_you"], found["summary"]["cuda_ops"]) == (90, 10)
    assert document(result(Summary(), output_path=None))["output"] is None


def test_a_file_in_the_document() -> None:
    edit = AppliedFix("NPU1", PROBLEM, 3, 4, "MODIFY", CellLine(5, 6))
    finding = left(Severity.HINT, "NPU2", kind="unknown", api="torch.x", line=7, fix=Applicability.UNSAFE)
    outcome = FileOutcome(
        "a.ipynb", FileStatus.CHANGED, (edit,), (finding,), (finding._replace(cell=CellLine(8, 9)),),
        (finding,), problem=PROBLEM, kernels=("k",), diff="---", way=Way(Standing.BESIDE, ("train.py",)),
    )  # fmt: skip
    (file,) = document(result(Summary()), outcome)["files"]
    shown = {
        "code": "NPU2",
        "severity": "hint",
        "message": "«project.log-finding(place=p, code=c, text=something `is` left)»",
        "api": "torch.x",
        "kind": "unknown",
        "applicability": "unsafe",
        "reached_from": ["train.py"],
        "start_line": 7,
        "end_line": 7,
    }
    assert file == {
        "path": "a.ipynb",
        "status": "changed",
        "problem": "«project.broken-edit»",
        "on_the_way": False,
        "edits": [
            {
                "code": "NPU1",
                "operation": "MODIFY",
                "message": "«project.broken-edit»",
                "start_line": 3,
                "end_line": 4,
                "cell": 5,
                "cell_line": 6,
            }
        ],
        "remaining": [shown],
        "restricted": [{**shown, "cell": 8, "cell_line": 9}],
        "advice": [shown],
        "kernels": ["k"],
        "diff": "---",
    }
    (plain,) = document(result(Summary()), FileOutcome("a.py", FileStatus.UNCHANGED))["files"]
    assert (plain["problem"], plain["diff"]) == (None, None)
