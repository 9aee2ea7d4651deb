"""Lines and hours that are left: each line once, by the class of its cause, and for each program."""

from __future__ import annotations

from gpu2ascend.project.report.effort.classes import Effort
from gpu2ascend.project.report.effort.described import method_text, work_data, work_lines
from gpu2ascend.project.report.effort.work import RATES, WorkCounter
from gpu2ascend.project.report.verdict.verdict import NAMED
from gpu2ascend.project.report.verdict.way import Standing, Way
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.model.finding import Applicability, Finding, Fix, Message, Plan, Severity

FIX = Fix(Message.of("NPU110.title"), Applicability.UNSAFE, Plan())


def finding(code: str, severity: Severity = Severity.ERROR, fix: Fix | None = None) -> Finding:
    return Finding(code, 0, 1, Message.of(f"{code}.title"), severity, fix)


WRITE = finding("NPU104")
REPLACE = finding("NPU601")
REVIEW = finding("NPU410", fix=FIX)
HINT = finding("NPU110", Severity.HINT)


def test_a_line_counts_once_for_what_is_most_to_do() -> None:
    counter = WorkCounter()
    counter.add([(REVIEW, 3), (WRITE, 3), (REVIEW, 4), (HINT, 5), (REVIEW, 4)], edited=7)
    work = counter.work()
    assert (work.edited, work.left.review, work.left.write) == (7, 1, 1)
    assert work.left.causes == {Effort.LOW: 1, Effort.MEDIUM: 1, Effort.HIGH: 0}


def test_the_hours_are_those_of_the_method_that_is_said() -> None:
    counter = WorkCounter()
    counter.add([(WRITE, line) for line in (1, 2, 3)] + [(REPLACE, 9)])
    medium, high = RATES[Effort.MEDIUM], RATES[Effort.HIGH]
    least = (medium.first.least + 2 * medium.further.least + high.first.least) / 60
    most = (medium.first.most + 2 * medium.further.most + high.first.most) / 60
    assert counter.work().left.hours == (round(least, 1), round(most))
    assert "15–60 and 3–15" in method_text(Texts("en"))


def test_nothing_left_takes_no_time_and_is_not_estimated() -> None:
    work = WorkCounter().work()
    assert work.left.hours == (0, 0)
    assert len(list(work_lines(work, Texts("en")))) == 1


def test_each_program_has_what_it_reaches_and_what_may_be_on_any_way() -> None:
    counter = WorkCounter()
    counter.add([(WRITE, 1)], Way(reached_from=("a.py",)))
    counter.add([(WRITE, 1), (REVIEW, 2)], Way(reached_from=("a.py", "b.py")))
    counter.add([(REVIEW, 1)])
    counter.add([(REPLACE, 1)], Way(Standing.BESIDE, folder="tests"))
    work = counter.work()
    assert (work.left.review, work.left.write) == (2, 3)
    assert {name: (left.review, left.write) for name, left in work.entries.items()} == {
        "a.py": (2, 2), "b.py": (2, 1),
    }  # fmt: skip
    lines = list(work_lines(work, Texts("en")))
    assert "a.py: lines to review: 2, to write by hand: 2" in lines[-2]


def test_few_of_many_programs_have_a_line() -> None:
    counter = WorkCounter()
    counter.add([(WRITE, 1)], Way(reached_from=tuple(f"{number}.py" for number in range(NAMED + 2))))
    assert [line.strip() for line in work_lines(counter.work(), Texts("en"))][-1] == "Further entries: 2"
    assert sum("lines to review: 0" in line for line in work_lines(counter.work(), Texts("en"))) == NAMED


def test_data_and_lines_have_the_same_figures() -> None:
    counter = WorkCounter()
    counter.add([(WRITE, 1), (REVIEW, 2)], edited=4)
    work = counter.work()
    data = work_data(work, Texts("en"))
    first, hours, method = work_lines(work, Texts("en"))
    assert f"automatically: {data['lines_edited']}; to review: {data['lines_to_review']}" in first
    assert f"{data['hours']['least']:g} to {data['hours']['most']:g} hours" in hours
    assert data["method"] == method
