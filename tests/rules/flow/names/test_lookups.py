"""Each key is looked up once, also where nothing was found for want of depth."""

from __future__ import annotations

from gpu2ascend_rules.flow.names.definition import Lookups

LIMIT = 8


class Chain:
    """Keys that ask twice for the next one, as ``x0 = x1.f()`` asks for a class and a function."""

    def __init__(self) -> None:
        self.lookups = Lookups()
        self.asked = 0

    def of(self, key: int, depth: int) -> None:
        if depth > LIMIT:
            self.lookups.give_up()
            return
        self.lookups.find(key, lambda: self._twice(key, depth), depth)

    def _twice(self, key: int, depth: int) -> None:
        self.asked += 1
        self.of(key + 1, depth + 1)
        self.of(key + 1, depth + 1)


def test_what_is_too_far_is_looked_up_once_in_a_question() -> None:
    chain = Chain()
    chain.of(0, 0)
    assert chain.asked == LIMIT + 1


def test_what_was_too_far_is_looked_up_again_in_another_question() -> None:
    chain = Chain()
    chain.of(0, 0)
    chain.asked = 0
    chain.of(1, 0)
    assert chain.asked == LIMIT + 1


def test_what_was_too_far_is_looked_up_again_from_nearer() -> None:
    lookups, asked = Lookups(), []

    def far(depth: int) -> None:
        asked.append(depth)
        lookups.give_up()

    def outermost() -> None:
        for depth in (3, 3, 2, 5):
            lookups.find("far", lambda depth=depth: far(depth), depth)  # type: ignore[misc]

    lookups.find("outermost", outermost, 0)
    assert asked == [3, 2]
