"""Facts that were drawn at random and checked at their sources: they still are what was checked."""

from __future__ import annotations

from collections import Counter

from tools.proof.facts.draw import checked, drawn, facts


def test_a_checked_fact_is_checked_again_when_its_row_changes() -> None:
    """Check the row at its source, and write down what that says, before the text here changes."""
    now = {(fact.table, fact.text) for fact in facts()}
    assert [row["fact"] for row in checked() if (row["table"], row["fact"]) not in now] == []


def test_none_of_the_checked_facts_is_left_wrong() -> None:
    verdicts = Counter(row["verdict"] for row in checked())
    assert verdicts.keys() <= {"right", "mended", "source mended", "unseen"}
    assert sum(verdicts.values()) == 100 and verdicts["unseen"] <= 6
    assert all(row["says"] not in ("", "-") for row in checked() if row["verdict"] != "unseen")


def test_a_draw_is_the_same_again_and_another_seed_draws_others() -> None:
    assert drawn(20) == drawn(20)
    assert drawn(20) != drawn(20, seed=1)
