"""The rounds of reading on foreign projects."""

from __future__ import annotations

from tools.proof.rounds import Round, known_projects, rounds, table_rows

COUNTS = {
    **{"projects": 2, "files": 1200, "edits": 30, "findings": 4, "wrong": 1, "wrong_after": 0},
    **{"untold": 2, "untold_after": 2, "needless": 3, "needless_after": 1, "right": 1, "right_after": 2},
}


def test_a_row_shows_both_counts_where_they_differ_and_the_last_row_their_sum() -> None:
    read = [Round("1", "mixed", "混合", COUNTS, ("b",)), Round("2", "old", "旧", COUNTS, ("a", "C"))]
    assert list(table_rows(read, chinese=False)) == [
        "| 1 | mixed | 2 | 1,200 | 30 | 4 | 1 → 0 | 2 | 3 → 1 | 1 → 2 |",
        "| 2 | old | 2 | 1,200 | 30 | 4 | 1 → 0 | 2 | 3 → 1 | 1 → 2 |",
        "| all |  | 4 | 2,400 | 60 | 8 | 2 → 0 | 4 | 6 → 2 | 2 → 4 |",
    ]
    assert known_projects(read) == "a, b, C"


def test_no_round_is_right_in_more_projects_than_it_has() -> None:
    assert all(one.counts["right_after"] <= one.counts["projects"] for one in rounds())
