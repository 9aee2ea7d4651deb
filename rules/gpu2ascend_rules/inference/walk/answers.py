"""What a walk has found out, kept so that no answer depends on what was asked before it.

Two things tempt a walk to keep what is not true. Values may depend on each other in a circle
(``x = x.view(-1)``): on the way round, the value that was asked for is still open. And a walk has a limit:
what is far from where it began is cut off, which is near to where another one begins.

A circle is walked again with what the last round found, until a round finds nothing new. What was cut off
is kept for the same distance alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Any, Final, NamedTuple, TypeVar, cast

from ...limits.walks import WalkLimits

A = TypeVar("A")
MISSING: Final[Any] = object()
"""There is no answer yet."""


class _Kept(NamedTuple):
    """An answer."""

    value: Any
    height: int
    """Steps from where it was asked to the last one that was needed for it."""
    circle: int
    """The level of the open question that it is only true for; that of none is _NO_CIRCLE."""


_NO_CIRCLE = _NO_DEPTH = sys.maxsize


class _Question:
    """What is being looked into."""

    __slots__ = ("circle", "deepest", "depth", "is_cut", "key", "provisional", "rounds", "used")

    def __init__(self, key: Hashable, depth: int, provisional: int, used: int) -> None:
        self.key = key
        self.depth = depth
        self.deepest = depth
        self.is_cut = False
        self.circle = _NO_CIRCLE
        self.provisional = provisional
        """How many answers were provisional before it."""
        self.used = used
        """How many open questions had been met before it."""
        self.rounds = 0


class Answers:
    """Answers by their questions: an expression, a name in its scope, what a class keeps under a name.

    Answers are of any type. Two of them say nothing: one for an open question, one for what is unknown.
    """

    def __init__(self, pending: Any, unknown: Any, limits: WalkLimits) -> None:
        self._pending = pending
        self._unknown = unknown
        self._limits = limits
        self._kept: dict[Hashable, _Kept] = {}
        self._cut: dict[tuple[Hashable, int], _Kept] = {}
        """By the depth, too, at which they were asked."""
        self._unknown_from: dict[Hashable, int] = {}
        """The depth at which a question was cut off with nothing found: further away there is no more."""
        self._path: list[_Question] = []
        self._levels: dict[Hashable, int] = {}
        self._provisional: list[tuple[dict[Any, _Kept], Hashable]] = []
        self._used: list[Hashable] = []
        self._assumed: dict[Hashable, Any] = {}
        """What the last round found for a question that it met while it was open."""
        self._found: dict[Hashable, Any] = {}

    def of(self, key: Hashable, depth: int, look: Callable[[], A]) -> A:
        """The answer to a question: what is known, or is found by looking; beyond the limit it is unknown."""
        known = self.known(key, depth)
        if known is not MISSING:
            return cast("A", known)
        if depth > self._limits.depth:
            self.cut_off()
            return cast("A", self._unknown)
        return self.look_into(key, depth, look)

    def known(self, key: Hashable, depth: int) -> Any:
        """The answer to a question at a depth, or MISSING; of an open one, what is known so far."""
        kept = self._kept.get(key)
        if kept is None or depth + kept.height > self._limits.depth:
            level = self._levels.get(key)
            if level is not None:
                return self._met(key, level)
            if depth >= self._unknown_from.get(key, _NO_DEPTH):
                self.cut_off()
                return self._unknown
            kept = self._cut.get((key, depth))
            if kept is None:
                return MISSING
            self.cut_off()
        if self._path:
            self._count(depth + kept.height, kept.circle)
        return kept.value

    def _met(self, key: Hashable, level: int) -> Any:
        """What is assumed of an open question."""
        self._count(0, level)
        self._used.append(key)
        return self._assumed.get(key, self._pending)

    def _count(self, deepest: int, circle: int) -> None:
        asking = self._path[-1]
        asking.deepest = max(asking.deepest, deepest)
        asking.circle = min(asking.circle, circle)

    def cut_off(self) -> None:
        """The limit ends the walk here."""
        if self._path:
            self._path[-1].is_cut = True

    def look_into(self, key: Hashable, depth: int, look: Callable[[], A]) -> A:
        """The answer to a question that is not known.

        Args:
            key: The question.
            depth: How many steps from the beginning of the walk it is asked.
            look: Looks for the answer, and asks what it needs for that here. It is called anew where the
                answer depends on itself, until it gives what was assumed.
        """
        self._begin(key, depth)
        try:
            found = self._settle(look())
            while found is MISSING:
                found = self._settle(look())
        except BaseException:
            self._abandon()
            raise
        return cast("A", found)

    def _abandon(self) -> None:
        """Forget what was being looked into, and what was found on the way."""
        for table, key in self._provisional:
            table.pop(key, None)
        for kept in (self._path, self._levels, self._provisional, self._used, self._assumed, self._found):
            kept.clear()

    def _begin(self, key: Hashable, depth: int) -> None:
        self._levels[key] = len(self._path)
        self._path.append(_Question(key, depth, len(self._provisional), len(self._used)))

    def _settle(self, found: Any) -> Any:
        """The answer to the question that was begun last; MISSING if it must be looked into again."""
        question = self._path[-1]
        level = len(self._path) - 1
        if self._used:
            self._found[question.key] = found
        if question.circle == level and self._has_changed(question):
            question.rounds += 1
            question.circle, question.is_cut, question.deepest = _NO_CIRCLE, False, question.depth
            return MISSING
        self._path.pop()
        del self._levels[question.key]
        circle = question.circle if question.circle < level else _NO_CIRCLE
        self._keep(question, found, circle)
        if self._path:
            self._count(question.deepest, circle)
            self._path[-1].is_cut |= question.is_cut
        return found

    def _has_changed(self, question: _Question) -> bool:
        """Whether a round found something else than it assumed; the next one then assumes that."""
        used = set(self._used[question.used :])
        changed = [key for key in used if self._is_other(key)]
        if not changed or question.rounds > self._limits.rounds:
            return False
        for key in changed:
            self._assumed[key] = self._unknown if question.rounds == self._limits.rounds else self._found[key]
        for table, key in self._provisional[question.provisional :]:
            table.pop(key, None)
        del self._provisional[question.provisional :], self._used[question.used :]
        return True

    def _is_other(self, key: Hashable) -> bool:
        """Whether an answer is not what was assumed; the two that say nothing may be equal."""
        found, assumed = self._found[key], self._assumed.get(key, self._pending)
        if found is assumed:
            return False
        silent = (self._pending, self._unknown)
        return found != assumed or any(found is one or assumed is one for one in silent)

    def _keep(self, question: _Question, found: Any, circle: int) -> None:
        if question.is_cut and found is self._unknown and circle == _NO_CIRCLE:
            before = self._unknown_from.get(question.key, _NO_DEPTH)
            self._unknown_from[question.key] = min(before, question.depth)
        table: dict[Any, _Kept] = self._cut if question.is_cut else self._kept
        key = (question.key, question.depth) if question.is_cut else question.key
        table[key] = _Kept(found, question.deepest - question.depth, circle)
        for other, found_before in self._provisional[question.provisional :]:
            kept = other.get(found_before)
            if kept is not None and kept.circle >= len(self._path):
                other[found_before] = kept._replace(circle=circle)  # it held for this question, which is over
        if circle != _NO_CIRCLE:
            self._provisional.append((table, key))
        elif question.provisional < len(self._provisional):
            for used in self._used[question.used :]:
                self._assumed.pop(used, None)
                self._found.pop(used, None)
            del self._provisional[question.provisional :], self._used[question.used :]
