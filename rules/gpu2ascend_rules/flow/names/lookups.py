"""Answers that may ask for one another, in circles too; each is kept once it is whole."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from .definition import Definition

_NOTHING = 1_000_000


class Lookups:
    """Looks up each key once.

    What is asked for on the way round a circle is nothing there; an answer that depends on such a one is not
    kept, so that the order of questions changes no answer.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Definition | None] = {}
        self._open: dict[Hashable, int] = {}
        """What is being looked up, with its place among what asks for one another."""
        self._needed = _NOTHING
        """The outermost look-up on which the one that just ended depends, other than on itself."""

    def find(self, key: Hashable, look_up: Callable[[], Definition | None]) -> Definition | None:
        """The answer for a key."""
        if key in self._known:
            return self._known[key]
        if key in self._open:
            self._needed = min(self._needed, self._open[key])
            return None
        before, self._needed, place = self._needed, _NOTHING, len(self._open)
        self._open[key] = place
        try:
            found = look_up()
        finally:
            del self._open[key]
        if self._needed >= place:
            self._known[key] = found
            self._needed = before
        else:
            self._needed = min(self._needed, before)
        return found

    def give_up(self) -> None:
        """Nothing was found only because the way was too long: no answer on the way is kept."""
        self._needed = 0
