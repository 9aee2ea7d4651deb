"""The counts of a migration, and what they mean."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.result import FileOutcome, FileStatus, MigrationResult, Summary
from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.versions import Version
from tests.server.project.report.html.pages import edit, left

SAYS = Message.of("project.broken-edit")


@pytest.mark.parametrize(
    ("status", "counted", "is_trouble"),
    [
        (FileStatus.UNCHANGED, {}, False),
        (FileStatus.CHANGED, {"changed_files": 1}, False),
        (FileStatus.ADDED, {}, False),
        (FileStatus.UNPARSABLE, {"unparsable": 1}, True),
        (FileStatus.UNDECODABLE, {"undecodable": 1}, True),
        (FileStatus.UNREADABLE, {"unreadable": 1}, True),
        (FileStatus.FAILED, {"failed": 1}, True),
    ],
)
def test_files_are_counted_by_what_became_of_them(
    status: FileStatus, counted: dict[str, int], is_trouble: bool
) -> None:
    summary = Summary()
    summary.count_status(status)
    assert summary == Summary(**counted)
    assert status.is_trouble is is_trouble
    assert summary.troubled_files == int(is_trouble)
    assert summary.is_complete is not is_trouble
    summary.count_status(status)
    assert summary == Summary(**dict.fromkeys(counted, 2))


@pytest.mark.parametrize(
    ("severity", "counted", "is_complete"),
    [
        (Severity.ERROR, {"errors": 2}, False),
        (Severity.WARNING, {"warnings": 2}, True),
        (Severity.INFORMATION, {"information": 2}, True),
        (Severity.HINT, {"hints": 2}, True),
    ],
)
def test_what_is_left_is_counted_by_severity(
    severity: Severity, counted: dict[str, int], is_complete: bool
) -> None:
    summary = Summary()
    summary.count_remaining([left(severity), left(severity)])
    assert summary == Summary(**counted)
    count = 0 if severity is Severity.HINT else 2
    assert (summary.left_to_you, summary.is_complete) == (count, is_complete)


def test_all_that_is_left_and_all_trouble_add_up() -> None:
    assert Summary(errors=1, warnings=10, information=100, hints=1000).left_to_you == 111
    assert Summary(unparsable=1, undecodable=10, unreadable=100, failed=1000).troubled_files == 1111


@pytest.mark.parametrize(
    ("summary", "code"),
    [
        (Summary(), 0),
        (Summary(hints=1), 0),
        (Summary(errors=1), 1),
        (Summary(obstacles=1), 1),
        (Summary(failed=1), 1),
    ],
)
def test_the_exit_code_says_whether_the_migration_is_complete(summary: Summary, code: int) -> None:
    made = MigrationResult(output_path=None, version=Version(2, 8), summary=summary)
    assert made.exit_code == code


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, False),
        ({"applied": (edit(),)}, True),
        ({"remaining": (left(),)}, True),
        ({"restricted": (left(),)}, True),
        ({"advice": (left(),)}, True),
        ({"problem": SAYS}, True),
        ({"kernels": ("k",)}, True),
        ({"diff": "---", "equivalents": frozenset({"a"})}, False),
    ],
)
def test_an_outcome_with_anything_to_show_says_something(changes: dict[str, object], says: bool) -> None:
    outcome = FileOutcome("a.py", FileStatus.UNCHANGED, **changes)  # type: ignore[arg-type]
    assert outcome.says_something is says
