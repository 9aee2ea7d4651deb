"""What the page of a report keeps of each file: its record, its causes, its dependencies, and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.report.html.collect import NAMED_PLACES, PageCollector
from gpu2ascend.project.report.html.model import FileState
from gpu2ascend.project.report.hunks import hunks_of
from gpu2ascend.project.report.result import FileOutcome, FileStatus
from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.outcome import AppliedFix, CellLine
from tests.server.project.report.html.pages import TEXT, changed, edit, left

SAYS = Message.of("project.broken-edit")


@pytest.fixture
def found(tmp_path: Path) -> Iterator[PageCollector]:
    collector = PageCollector("en", tmp_path)
    yield collector
    collector.close()


def plain(path: str, *remaining: Severity, status: FileStatus = FileStatus.UNCHANGED) -> FileOutcome:
    return FileOutcome(path, status, remaining=tuple(left(item) for item in remaining))


def test_a_record_has_the_counts_of_its_file(found: PageCollector) -> None:
    severities = [Severity.ERROR] + [Severity.WARNING] * 2 + [Severity.INFORMATION] * 3 + [Severity.HINT] * 4
    one = changed("a.py", "a\n", "b\n", "NPU101", "NPU102", remaining=map(left, severities))
    found.add(one._replace(kernels=("k", "l")))
    found.add(FileOutcome("b.py", FileStatus.FAILED, problem=SAYS))
    first, second = found.records
    assert (first.path, first.status, first.edits, first.errors) == ("a.py", FileStatus.CHANGED, 2, 1)
    assert (first.open, first.hints, first.kernels, first.problem, first.number) == (5, 4, 2, None, 1)
    assert first.hunks is not None
    assert (second.path, second.number, second.hunks) == ("b.py", 0, None)
    assert second.problem


def test_files_with_differences_are_numbered(found: PageCollector) -> None:
    for path in ("a.py", "b.py"):
        found.add(changed(path, "a\n", "b\n"))
        found.add(plain(f"not-{path}", Severity.ERROR))
    assert [record.number for record in found.records] == [1, 0, 2, 0]
    assert found.changed == 2


@pytest.mark.parametrize(
    ("outcome", "is_kept"),
    [
        (plain("a.py"), False),
        (plain("a.py", Severity.HINT), True),
        (plain("a.py", Severity.ERROR), True),
        (plain("a.py", status=FileStatus.FAILED), True),
        (changed("a.py", "a\n", "b\n"), True),
        (FileOutcome("a.py", FileStatus.UNCHANGED, hunks=hunks_of("a\n", "b\n")), True),
    ],
)
def test_a_file_is_kept_if_there_is_anything_to_say_of_it(
    found: PageCollector, outcome: FileOutcome, is_kept: bool
) -> None:
    found.add(outcome)
    assert len(list(found.records)) == int(is_kept)
    assert sum(found.states.values()) == 1


def test_states_and_edits_are_counted(found: PageCollector) -> None:
    found.add(changed("a.py", "a\n", "b\n", "NPU101", "NPU101", "NPU102"))
    found.add(changed("b.py", "a\n", "b\n", "NPU101"))
    found.add(plain("c.py"))
    assert found.edits == {"NPU101": 3, "NPU102": 1}
    assert found.states[FileState.UNTOUCHED] == 1 and sum(found.states.values()) == 3


def test_findings_restricted_apis_and_advice_are_causes_of_their_own(found: PageCollector) -> None:
    items = {name: (left(code=name, line=3),) for name in ("remaining", "restricted", "advice")}
    found.add(FileOutcome("a.ipynb", FileStatus.UNCHANGED, **items))
    for name, causes in zip(items, (found.causes, found.restricted, found.advice), strict=True):
        assert [(cause.code, cause.place) for cause in causes.in_order()] == [(name, "a.ipynb:3")]


def test_so_many_further_places_of_a_cause_are_named(found: PageCollector) -> None:
    for number in range(NAMED_PLACES + 3):
        found.add(plain(f"{number}.py", Severity.ERROR))
    (cause,) = found.causes.in_order()
    assert (cause.count, len(cause.more)) == (NAMED_PLACES + 3, 12)


def test_a_place_in_a_notebook_names_the_cell(found: PageCollector) -> None:
    found.add(FileOutcome("a.ipynb", FileStatus.UNCHANGED, remaining=(left()._replace(cell=CellLine(3, 4)),)))
    (cause,) = found.causes.in_order()
    assert "3" in cause.place and "4" in cause.place and cause.place != "a.ipynb:7"


BEFORE = "a\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("after", "line", "before", "now"),
    [
        ("a\nB\nc\nd\n", 2, "b", "B"),
        ("a\nc\nd\n", 2, "b", ""),
        ("a\nb\nx\ny\nc\nd\n", 2, "", "x\ny"),
        ("a\nb\nc\nd\nx\n", 4, "", "x"),
        ("a\nB\nx\nc\nd\n", 2, "b", "B\nx"),
        ("A\nb\nc\nd\n", 3, "", ""),
        ("A\nb\nc\nd\n", 9, "", ""),
    ],
)
def test_an_edit_of_a_dependency_has_its_lines_before_and_after(
    found: PageCollector, after: str, line: int, before: str, now: str
) -> None:
    outcome = changed("requirements.txt", BEFORE, after)
    found.add(outcome._replace(applied=(edit("NPU1101", line),)))
    (change,) = found.dependencies
    assert (change.place, change.code, change.before, change.after) == (
        f"requirements.txt:{line}",
        "NPU1101",
        before,
        now,
    )


def test_several_lines_of_an_edit_come_together(found: PageCollector) -> None:
    outcome = changed("setup.py", BEFORE, "a\nB\nC\nd\n")
    found.add(outcome._replace(applied=(AppliedFix("NPU1102", TEXT, 2, 3, "MODIFY"),)))
    (change,) = found.dependencies
    assert (change.before, change.after) == ("b\nc", "B\nC")


def test_what_is_left_of_dependencies_is_among_them_and_nothing_else(found: PageCollector) -> None:
    codes = ("NPU1100", "NPU1199", "NPU110", "NPU101", "NPU1200")
    outcome = changed("a.txt", "a\n", "b\n", *codes, remaining=[left(code=code) for code in codes])
    found.add(outcome)
    assert [change.code for change in found.dependencies] == ["NPU1100", "NPU1199"] * 2
    left_over = found.dependencies[2]
    assert (left_over.place, left_over.before, left_over.after) == ("a.txt:7", "", "")
    assert "something" in left_over.text


def test_a_page_keeps_some_hundred_dependencies_and_counts_all(found: PageCollector) -> None:
    found.add(changed("a.txt", "a\n", "b\n", *["NPU1101"] * 402))
    assert (found.dependency_count, len(found.dependencies)) == (402, 400)


def test_it_keeps_the_first_notes_and_counts_all(found: PageCollector) -> None:
    for number in range(42):
        found.note(Message.of("project.log-finding", place=number, code="c", text="t"))
    assert (found.note_count, len(found.notes)) == (42, 40)
    assert "39" in found.notes[-1]
