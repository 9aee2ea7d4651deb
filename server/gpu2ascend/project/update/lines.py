"""Three-way merge of lists of lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_WORTH_A_SEARCH = 1_000_000
"""Pairs of lines up to which a part without unique lines is searched for equal ones."""


class Block(NamedTuple):
    """Lines that are the same in two lists."""

    old: int
    new: int
    size: int


class Change(NamedTuple):
    """Lines of the base that one side has replaced."""

    start: int
    end: int
    lines: tuple[bytes, ...]

    def touches(self, other: Change) -> bool:
        """Whether both replace a line, or one inserts where the other begins or ends."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


class Piece(NamedTuple):
    """Lines of the result, or what both sides have in the same place."""

    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...] | None = None
    """None where both agree."""


def blocks(old: Sequence[bytes], new: Sequence[bytes]) -> list[Block]:
    """What is the same in two lists, in order: around lines that both have exactly once (a patience diff)."""
    found: list[Block] = []
    pending = [(0, len(old), 0, len(new))]
    while pending:
        low, high, new_low, new_high = pending.pop()
        size = _common(old, new, range(low, high), range(new_low, new_high))
        if size:
            found.append(Block(low, new_low, size))
            low, new_low = low + size, new_low + size
        behind = _common(old, new, range(high - 1, low - 1, -1), range(new_high - 1, new_low - 1, -1))
        if behind:
            high, new_high = high - behind, new_high - behind
            found.append(Block(high, new_high, behind))
        if low == high or new_low == new_high:
            continue
        anchors = _anchors(old, new, (low, high), (new_low, new_high))
        if anchors:
            for place, new_place in [*anchors, (high, new_high)]:
                pending.append((low, place, new_low, new_place))
                low, new_low = place, new_place
        elif (high - low) * (new_high - new_low) <= _WORTH_A_SEARCH:
            matcher = SequenceMatcher(None, old[low:high], new[new_low:new_high], autojunk=False)
            for at, new_at, size in matcher.get_matching_blocks():
                found += [Block(low + at, new_low + new_at, size)] if size else []
    return sorted(found)


def merged(base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes]) -> Iterator[Piece]:
    """The base with the changes of both sides, in pieces."""
    at = 0
    for group in _groups(changes(base, ours), changes(base, theirs)):
        start = min(change.start for side in group for change in side)
        end = max(change.end for side in group for change in side)
        if start > at:
            yield Piece(tuple(base[at:start]))
        one, other = (_applied(base, start, end, side) for side in group)
        if not group[1] or one == other:
            yield Piece(one)
        elif not group[0]:
            yield Piece(other)
        else:
            yield from _conflict(one, other)
        at = end
    if at < len(base):
        yield Piece(tuple(base[at:]))


def _common(old: Sequence[bytes], new: Sequence[bytes], one: range, other: range) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if old[left] != new[right]:
            break
        count += 1
    return count


def _anchors(
    old: Sequence[bytes], new: Sequence[bytes], one: tuple[int, int], other: tuple[int, int]
) -> list[tuple[int, int]]:
    """Lines that both parts have exactly once: the longest series that has the same order in both."""
    places = _unique(old, *one)
    new_places = _unique(new, *other)
    pairs = sorted((at, new_places[line]) for line, at in places.items() if line in new_places)
    ends: list[int] = []
    series: list[int] = []
    before: list[int] = []
    for number, (_, new_at) in enumerate(pairs):
        length = bisect_left(ends, new_at)
        before.append(series[length - 1] if length else -1)
        if length == len(ends):
            ends.append(new_at)
            series.append(number)
        else:
            ends[length], series[length] = new_at, number
    chosen: list[tuple[int, int]] = []
    number = series[-1] if series else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _unique(lines: Sequence[bytes], start: int, end: int) -> dict[bytes, int]:
    counts = Counter(lines[start:end])
    return {lines[at]: at for at in range(start, end) if counts[lines[at]] == 1}


def changes(base: Sequence[bytes], side: Sequence[bytes]) -> list[Change]:
    """What one side has changed, in order."""
    found: list[Change] = []
    at = new_at = 0
    for old, new, size in [*blocks(base, side), Block(len(base), len(side), 0)]:
        if old > at or new > new_at:
            found.append(Change(at, old, tuple(side[new_at:new])))
        at, new_at = old + size, new + size
    return found


def _groups(ours: list[Change], theirs: list[Change]) -> Iterator[tuple[list[Change], list[Change]]]:
    """The changes of both sides, those together that touch."""
    sides = sorted([(change, 0) for change in ours] + [(change, 1) for change in theirs])
    group: tuple[list[Change], list[Change]] = ([], [])
    for change, side in sides:
        if any(group) and not any(change.touches(other) for other in group[1 - side]):
            yield group
            group = ([], [])
        group[side].append(change)
    if any(group):
        yield group


def _applied(base: Sequence[bytes], start: int, end: int, changes: list[Change]) -> tuple[bytes, ...]:
    lines: list[bytes] = []
    for change in changes:
        lines += base[start : change.start]
        lines += change.lines
        start = change.end
    return (*lines, *base[start:end])


def _conflict(ours: tuple[bytes, ...], theirs: tuple[bytes, ...]) -> Iterator[Piece]:
    """What differs, without the lines before and behind that both have."""
    shorter = min(len(ours), len(theirs))
    before = _common(ours, theirs, range(shorter), range(shorter))
    rest = shorter - before
    behind = _common(ours, theirs, range(-1, -rest - 1, -1), range(-1, -rest - 1, -1))
    if before:
        yield Piece(ours[:before])
    yield Piece(ours[before : len(ours) - behind], theirs[before : len(theirs) - behind])
    if behind:
        yield Piece(ours[len(ours) - behind :])
