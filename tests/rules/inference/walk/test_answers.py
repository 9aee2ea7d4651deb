"""What a walk keeps of what it found, and for how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from gpu2ascend_rules.inference.walk.answers import Answers
from gpu2ascend_rules.limits.walks import WalkLimits

PENDING, UNKNOWN = "pending", "unknown"
LIMIT = 5
LIMITS = WalkLimits(depth=LIMIT)


class Walk:
    """Follows a graph whose values are sets of letters: those of a node, and of all that it refers to."""

    def __init__(self, graph: Mapping[str, Sequence[str]]) -> None:
        self.looked_into: list[str] = []
        self.fails_at = ""
        self._graph = graph
        self._answers = Answers(PENDING, UNKNOWN, LIMITS)

    def of(self, node: str, depth: int = 0) -> object:
        return self._answers.of(node, depth, lambda: self._look(node, depth))

    def _look(self, node: str, depth: int) -> object:
        self.looked_into.append(node)
        if node == self.fails_at:
            raise RuntimeError
        values = [self.of(other, depth + 1) for other in self._graph[node]]
        letters = {letter for value in values if isinstance(value, frozenset) for letter in value}
        return UNKNOWN if UNKNOWN in values else frozenset(letters | {node[0]} - set("_"))


def letters(text: str) -> frozenset[str]:
    return frozenset(text)


def test_what_is_known_is_not_looked_into_again() -> None:
    walk = Walk({"a": ["b"], "b": []})
    assert walk.of("a") == letters("ab")
    walk.of("b")
    walk.of("a")
    assert walk.looked_into == ["a", "b"]


def test_all_on_a_circle_have_what_is_on_it() -> None:
    graph = {"a": ["b"], "b": ["c"], "c": ["a"]}
    for first in graph:
        walk = Walk(graph)
        walk.of(first)
        assert {walk.of(node) for node in graph} == {letters("abc")}


def test_a_circle_is_walked_until_a_round_finds_nothing_new() -> None:
    """The first round finds all, the second sees that it is all; then every answer on the way holds."""
    walk = Walk({"a": ["b"], "b": ["a"]})
    walk.of("a")
    walk.of("b")
    assert walk.looked_into == ["a", "b"] * 2


def test_circles_within_a_circle_hold_when_the_outer_one_does() -> None:
    graph = {"a": ["b", "d"], "b": ["c"], "c": ["b", "a"], "d": ["c", "e"], "e": ["d"]}
    for first in graph:
        walk = Walk(graph)
        walk.of(first)
        assert {node: walk.of(node) for node in graph} == dict.fromkeys(graph, letters("abcde"))


def test_a_circle_that_another_walk_leads_into_does_not_know_that_walk() -> None:
    walk = Walk({"x": ["a"], "a": ["b"], "b": ["a"]})
    assert walk.of("x") == letters("xab")
    assert walk.of("a") == walk.of("b") == letters("ab")


def chain(links: int) -> dict[str, list[str]]:
    return {f"_{i}": [f"_{i + 1}"] for i in range(links)} | {f"_{links}": []}


def test_what_lies_within_the_limit_is_known() -> None:
    assert Walk(chain(LIMIT)).of("_0") == letters("")


def test_what_lies_beyond_the_limit_is_not_known() -> None:
    assert Walk(chain(LIMIT + 1)).of("_0") == UNKNOWN


def test_what_is_known_from_nearby_is_as_far_away_as_before() -> None:
    walk = Walk(chain(LIMIT + 1))
    assert walk.of("_1") == letters("")
    assert walk.of("_0") == UNKNOWN


def test_what_was_cut_off_is_known_from_nearby() -> None:
    walk = Walk(chain(LIMIT + 1))
    assert walk.of("_0") == UNKNOWN
    assert walk.of("_1") == letters("")


def test_what_was_cut_off_is_kept_for_the_same_distance() -> None:
    walk = Walk(chain(LIMIT + 1))
    walk.of("_0")
    steps = len(walk.looked_into)
    walk.of("_0")
    assert len(walk.looked_into) == steps


def test_a_long_circle_is_cut_off_from_wherever_it_is_asked() -> None:
    graph = {f"_{i}": [f"_{(i + 1) % (2 * LIMIT)}"] for i in range(2 * LIMIT)}
    forwards, backwards = Walk(graph), Walk(graph)
    assert [forwards.of(node) for node in graph] == [UNKNOWN] * len(graph)
    assert [backwards.of(node) for node in reversed(graph)] == [UNKNOWN] * len(graph)


def test_what_changes_from_round_to_round_is_unknown_in_the_end() -> None:
    """No reading should: one that says the contrary of what it assumed would be walked for ever."""
    answers = Answers(PENDING, UNKNOWN, LIMITS)
    after = {PENDING: "left", "left": "right", "right": "left"}
    seen: list[str] = []

    def look() -> str:
        seen.append(str(answers.known("a", 1)))
        return after.get(seen[-1], seen[-1])

    assert answers.look_into("a", 0, look) == UNKNOWN
    assert len(seen) < 2 * LIMITS.rounds


def test_after_an_error_on_the_way_answers_are_as_they_would_have_been() -> None:
    graph = {"a": ["b"], "b": ["a", "c"], "c": []}
    walk = Walk(graph)
    walk.fails_at = "c"
    with pytest.raises(RuntimeError):
        walk.of("a")
    walk.fails_at = ""
    assert [walk.of(node) for node in ("b", "a", "c")] == [letters("abc"), letters("abc"), letters("c")]


def test_nothing_remains_of_a_circle_that_is_closed() -> None:
    """What was assumed on one circle is not assumed on the next."""
    walk = Walk({"a": ["a", "c"], "b": ["b", "a"], "c": []})
    assert walk.of("a") == letters("ac")
    assert walk.of("b") == letters("abc")
    assert walk.looked_into == ["a", "c", "a", "b", "b"]
