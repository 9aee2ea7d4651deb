"""Two texts side by side."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report import hunks as module
from gpu2ascend.project.report.hunks import CONTEXT, MAX_COLUMNS, MAX_ROWS, Hunks, Row, hunks_of

LINES = [f"line {number}\n" for number in range(1, 31)]
BEFORE = "".join(LINES)


def changed(hunks: Hunks) -> list[Row]:
    return [row for part in hunks.parts for row in part if not row.is_equal]


def replaced(number: int, *new: str) -> str:
    return "".join([*LINES[: number - 1], *new, *LINES[number:]])


def test_a_changed_line_stands_beside_what_it_became() -> None:
    hunks = hunks_of(BEFORE, replaced(10, "other\n"))
    assert changed(hunks) == [Row(10, 10, "line 10", "other")]


def test_without_surroundings_the_changed_lines_alone_are_shown() -> None:
    after = "".join([*LINES[:9], "other\n", LINES[10], "another\n", *LINES[12:]])
    rows = [row for part in hunks_of(BEFORE, after, 0).parts for row in part]
    assert rows == [Row(10, 10, "line 10", "other"), Row(12, 12, "line 12", "another")]


def test_equal_lines_around_it_are_shown() -> None:
    (part,) = hunks_of(BEFORE, replaced(10, "other\n")).parts
    assert [row.old for row in part] == list(range(10 - CONTEXT, 10 + CONTEXT + 1))


def test_an_inserted_line_has_nothing_beside_it() -> None:
    hunks = hunks_of(BEFORE, replaced(10, "line 10\n", "new\n"))
    assert changed(hunks) == [Row(None, 11, None, "new")]


def test_a_removed_line_has_nothing_beside_it() -> None:
    assert changed(hunks_of(BEFORE, replaced(10))) == [Row(10, None, "line 10", None)]


def test_lines_behind_a_difference_keep_their_own_numbers() -> None:
    (part,) = hunks_of(BEFORE, replaced(10, "a\n", "b\n", "c\n")).parts
    assert (part[-1].old, part[-1].new) == (13, 15)


def test_differences_that_are_far_apart_are_parts() -> None:
    after = replaced(5, "a\n").replace("line 25\n", "b\n")
    assert len(hunks_of(BEFORE, after).parts) == 2


def test_differences_whose_surroundings_touch_are_one_part() -> None:
    after = replaced(5, "a\n").replace("line 10\n", "b\n")
    assert len(hunks_of(BEFORE, after).parts) == 1


@pytest.mark.parametrize("after", ["a\nb\n", "a\nb", ""], ids=["same", "no final newline", "emptied"])
def test_the_ends_of_texts_are_met(after: str) -> None:
    rows = changed(hunks_of("a\nb\n", after))
    assert [row.before for row in rows] == ([] if after else ["a", "b"])


def test_line_ends_of_windows_are_not_shown() -> None:
    assert changed(hunks_of("a\r\nb\r\n", "a\r\nc\r\n")) == [Row(2, 2, "b", "c")]


def test_both_sides_give_both_texts_back() -> None:
    after = replaced(3, "x\n", "y\n").replace("line 20\nline 21\n", "z\n")
    rows = [row for part in hunks_of(BEFORE, after).parts for row in part]
    assert [row.before for row in rows if row.old] == [
        BEFORE.splitlines()[row.old - 1] for row in rows if row.old
    ]
    assert [row.after for row in rows if row.new] == [
        after.splitlines()[row.new - 1] for row in rows if row.new
    ]


def test_what_is_shown_of_a_file_has_a_limit_and_the_rest_is_counted() -> None:
    count = MAX_ROWS + 200
    before = "".join(f"a{number}\n" for number in range(count))
    hunks = hunks_of(before, before.replace("a", "b"))
    assert sum(map(len, hunks.parts)) == MAX_ROWS
    assert hunks.left_out == 200


def test_a_long_line_is_shown_where_it_differs() -> None:
    line = "x" * 10_000
    (row,) = changed(hunks_of(f"{line}old\n", f"{line}new\n"))
    assert row.before is not None and row.after is not None
    assert row.before.endswith("old") and row.after.endswith("new")
    assert len(row.before) <= MAX_COLUMNS


def test_no_text_takes_more_than_its_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that never go on alike: the search gives up, and the rest is one difference."""
    asked = 0
    meet = module._meet

    def counted(*arguments: object) -> bool:
        nonlocal asked
        asked += 1
        return meet(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_meet", counted)
    size = 4_000
    before = "".join(f"a{number}\n" for number in range(size))
    after = "".join(f"b{number}\n" for number in range(size))
    assert hunks_of(before, after).left_out == size - MAX_ROWS
    assert asked <= module._BUDGET
