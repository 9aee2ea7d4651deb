"""How differences are told: by rule, counted, with a few examples."""

from __future__ import annotations

from tools.compare.differences import Change, Difference
from tools.compare.page import Found, Page


def edit(before: tuple[str, ...], after: tuple[str, ...], code: str = "NPU101") -> Difference:
    return Difference(code, "edit", Change.CHANGED, "train.py", 3, "", before, after)


def page(*found: tuple[str, Difference], examples: int = 3) -> list[str]:
    made = Page(examples)
    for program, difference in found:
        made.add(Found(program, difference))
    return list(made.lines(examined=1234))


def test_without_a_difference_it_is_one_line() -> None:
    assert page() == ["nothing differs in 1,234 programs and projects"]
    assert Page(3).is_empty


def test_an_example_is_named_with_its_place_and_shown_as_a_diff() -> None:
    assert page(("NPU101 0.lacking-1", edit(("x.npu()",), ("x.to('npu')",)))) == [
        "NPU101: edits: 1 changed; in 1 files",
        "  NPU101 0.lacking-1 train.py:3 (edit changed)",
        "    - x.npu()",
        "    + x.to('npu')",
        "",
        "1 of 1,234 programs and projects differ, by 1 rules: edits: 1 changed",
    ]


def test_rules_are_in_the_order_of_their_codes_and_the_last_line_has_the_sums() -> None:
    gone = Difference("ACC101", "finding", Change.GONE, "", 0, "x", ("ACC101.moved, error",), ())
    lines = page(("one", edit(("a",), ("b",))), ("two", edit(("a",), ("b",))), ("two", gone))
    assert [line for line in lines if line.startswith(("ACC", "NPU"))] == [
        "ACC101: findings: 1 gone; in 1 files",
        "NPU101: edits: 2 changed; in 2 files",
    ]
    expected = "2 of 1,234 programs and projects differ, by 2 rules: findings: 1 gone; edits: 2 changed"
    assert lines[-1] == expected


def test_examples_are_unlike_each_other_and_no_more_than_asked_for() -> None:
    same = [(f"same-{number}", edit(("a",), ("b",))) for number in range(5)]
    others = [(f"other-{number}", edit(("a",), (f"c{number}",))) for number in range(5)]
    shown = [line.split()[0] for line in page(*same, *others, examples=2) if "(edit changed)" in line]
    assert shown == ["same-0", "other-0"]


def test_of_long_edits_the_lines_that_differ_are_shown() -> None:
    common = tuple(f"line {number}" for number in range(9))
    lines = page(("long", edit((*common, "old", "end"), (*common, "new", "end"))))
    assert lines[2:4] == ["    - old", "    + new"]


def test_of_many_lines_some_are_shown_and_the_rest_counted() -> None:
    lines = page(("long", edit((), tuple(f"line {number}" for number in range(9)))))
    assert lines[2:6] == ["    + line 0", "    + line 1", "    + line 2", "    + ... 6 more lines"]
