"""Findings with one cause are read once."""

from __future__ import annotations

from gpu2ascend.project.report.causes import SHOWN_PLACES, Causes, by_cause, further_places
from gpu2ascend_rules.model.finding import Severity


def test_what_says_the_same_is_one_cause_in_the_order_of_the_first_places() -> None:
    causes = Causes()
    causes.add("NPU1", Severity.ERROR, "a", "x.py:1")
    causes.add("NPU1", Severity.ERROR, "b", "x.py:2")
    causes.add("NPU1", Severity.ERROR, "a", "y.py:3")
    first, second = causes.in_order()
    assert (first.text, first.place, first.more, first.count) == ("a", "x.py:1", ["y.py:3"], 2)
    assert (second.text, second.count) == ("b", 1)


def test_another_severity_is_another_cause() -> None:
    causes = Causes()
    causes.add("NPU1", Severity.ERROR, "a", "x.py:1")
    causes.add("NPU1", Severity.HINT, "a", "x.py:2")
    assert len(causes.in_order()) == 2


def test_what_is_kept_of_a_cause_does_not_grow_with_its_places() -> None:
    causes = Causes()
    for number in range(100):
        causes.add("NPU1", Severity.ERROR, "a", f"x.py:{number}")
    (cause,) = causes.in_order()
    assert (cause.count, len(cause.more)) == (100, SHOWN_PLACES)


def test_items_with_a_cause_in_common_come_together() -> None:
    assert by_cause(["a1", "b1", "a2"], lambda item: item[0]) == [["a1", "a2"], ["b1"]]


def test_further_places_are_counted_and_some_are_named() -> None:
    assert further_places([], 0, "en") == ""
    assert further_places(["a.py:1"], 1, "en") == " (and 1 more: a.py:1)"
    assert further_places([f"{n}" for n in range(9)], 9, "en") == " (and 9 more: 0, 1, 2, 3, 4, …)"
