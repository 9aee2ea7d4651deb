"""Which parts of a text hold one of some words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

Near = Callable[[int, int], bool]
"""Whether a part of the text, from an offset to another, holds one of the words."""


def near(data: bytes, words: Iterable[bytes]) -> Near:
    """Finds the words, which are in lower case, in any case of letters."""
    lowered = data.lower()
    starts = sorted(start for word in words for start in _starts(lowered, word))

    def is_near(start: int, end: int) -> bool:
        at = bisect_left(starts, start)
        return at < len(starts) and starts[at] < end

    return is_near


def _starts(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + 1)
