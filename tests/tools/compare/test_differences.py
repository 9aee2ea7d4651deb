"""What is said to differ between two outcomes of a program."""

from __future__ import annotations

from typing import Any

from tools.compare.differences import NO_RULE, Change, Difference, differences
from tools.compare.outcomes import FileOutcome, Finding, Outcome, Place, Record, edits_between

FINDING = Finding(
    "NPU101", Place(2, 1, 2, 9), "NPU101.moved to='npu'", "warning", "safe", "fix.replace", "x.cuda()"
)
BEFORE = "import torch\nx.cuda()\ny = 1\n"


def of_file(**facts: Any) -> Outcome:
    return Outcome({"train.py": FileOutcome("unchanged", **facts)})


def of_fixes(after: str, *records: Record) -> Outcome:
    return of_file(edits=edits_between(BEFORE, after), records=records)


def shown(base: Outcome, head: Outcome) -> list[tuple[str, str, Change, int]]:
    return [(item.code, item.subject, item.change, item.line) for item in differences(base, head)]


def only(base: Outcome, head: Outcome) -> Difference:
    (difference,) = differences(base, head)
    return difference


class TestFindings:
    def test_of_equal_ones_nothing_is_said_and_of_others_something(self) -> None:
        assert not shown(of_file(findings=(FINDING,)), of_file(findings=(FINDING,)))
        assert shown(of_file(findings=(FINDING,)), of_file())

    def test_one_on_one_side_is_gone_or_new(self) -> None:
        some, none = of_file(findings=(FINDING,)), of_file()
        assert shown(some, none) == [("NPU101", "finding", Change.GONE, 2)]
        assert shown(none, some) == [("NPU101", "finding", Change.NEW, 2)]

    def test_a_file_that_one_side_has_nothing_to_say_of_has_no_findings(self) -> None:
        assert shown(Outcome({}), of_file(findings=(FINDING,))) == [("NPU101", "finding", Change.NEW, 2)]

    def test_at_the_same_place_with_another_severity_is_changed_and_shows_the_severities(self) -> None:
        difference = only(
            of_file(findings=(FINDING,)), of_file(findings=(FINDING._replace(severity="error"),))
        )
        assert difference.change is Change.CHANGED
        assert (difference.before, difference.after) == (("NPU101.moved, warning",), ("NPU101.moved, error",))

    def test_with_another_applicability_or_message_is_changed(self) -> None:
        for other in (FINDING._replace(applicability="unsafe"), FINDING._replace(message="NPU101.perhaps")):
            assert only(of_file(findings=(FINDING,)), of_file(findings=(other,))).change is Change.CHANGED

    def test_with_another_range_in_the_same_line_is_changed(self) -> None:
        wider = FINDING._replace(place=Place(2, 1, 2, 12))
        difference = only(of_file(findings=(FINDING,)), of_file(findings=(wider,)))
        assert difference.change is Change.CHANGED
        assert (difference.before, difference.after) == (
            ("NPU101.moved, 2:1-2:9",),
            ("NPU101.moved, 2:1-2:12",),
        )

    def test_of_another_rule_is_one_gone_and_one_new(self) -> None:
        other = FINDING._replace(code="NPU110")
        assert shown(of_file(findings=(FINDING,)), of_file(findings=(other,))) == [
            ("NPU101", "finding", Change.GONE, 2),
            ("NPU110", "finding", Change.NEW, 2),
        ]

    def test_a_second_equal_one_is_new(self) -> None:
        assert shown(of_file(findings=(FINDING,)), of_file(findings=(FINDING, FINDING))) == [
            ("NPU101", "finding", Change.NEW, 2)
        ]


class TestEdits:
    RECORD = Record("NPU101", 2, 2, "MODIFY", "fix.replace text='npu'")
    FIXED = "import torch\nx.npu()\ny = 1\n"

    def test_a_line_that_is_left_now_is_gone(self) -> None:
        difference = only(of_fixes(self.FIXED, self.RECORD), of_fixes(BEFORE))
        assert (difference.code, difference.subject, difference.change) == ("NPU101", "edit", Change.GONE)
        assert (difference.before, difference.after) == (("x.npu()",), ("x.cuda()",))

    def test_a_line_that_was_left_is_new(self) -> None:
        assert shown(of_fixes(BEFORE), of_fixes(self.FIXED, self.RECORD)) == [
            ("NPU101", "edit", Change.NEW, 2)
        ]

    def test_a_line_that_becomes_another_is_changed(self) -> None:
        other = of_fixes("import torch\nx.to('npu')\ny = 1\n", self.RECORD)
        difference = only(of_fixes(self.FIXED, self.RECORD), other)
        assert difference.change is Change.CHANGED
        assert (difference.before, difference.after) == (("x.npu()",), ("x.to('npu')",))

    def test_the_rule_is_the_one_whose_record_differs(self) -> None:
        same = Record("NPU202", 2, 2, "MODIFY", "fix.other")
        assert shown(of_fixes(self.FIXED, self.RECORD, same), of_fixes(BEFORE, same)) == [
            ("NPU101", "edit", Change.GONE, 2)
        ]

    def test_an_inserted_line_belongs_to_the_record_beside_it(self) -> None:
        record = Record("NPU108", 1, 1, "INSERT", "fix.import")
        inserted = of_fixes("import torch\nimport torch_npu\nx.cuda()\ny = 1\n", record)
        assert shown(of_fixes(BEFORE), inserted) == [("NPU108", "edit", Change.NEW, 2)]

    def test_without_a_record_no_rule_is_named(self) -> None:
        assert shown(of_fixes(BEFORE), of_fixes(self.FIXED)) == [(NO_RULE, "edit", Change.NEW, 2)]

    def test_the_same_edit_with_another_record_differs_in_what_is_said(self) -> None:
        other = self.RECORD._replace(message="fix.other")
        difference = only(of_fixes(self.FIXED, self.RECORD), of_fixes(self.FIXED, other))
        assert (difference.subject, difference.change) == ("record", Change.CHANGED)
        assert difference.after == ("MODIFY fix.other",)


class TestFailures:
    def test_of_a_whole_task_says_what_it_failed_with(self) -> None:
        difference = only(of_file(findings=(FINDING,)), Outcome({}, "KeyError: 1"))
        assert (difference.subject, difference.change) == ("failure", Change.NEW)
        assert difference.after == ("KeyError: 1",)

    def test_of_a_file_stands_before_its_findings(self) -> None:
        base, head = of_file(problem="project.defect", findings=()), of_file(findings=(FINDING,))
        assert shown(base, head) == [
            (NO_RULE, "failure", Change.GONE, 0),
            ("NPU101", "finding", Change.NEW, 2),
        ]
