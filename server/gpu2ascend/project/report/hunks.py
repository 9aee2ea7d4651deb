"""Two texts side by side: the lines that differ, with some lines around them.

The lines are aligned from the top: where they differ, the nearest place where both go on alike is taken. A
migration changes lines here and there, for which this finds what a longest common subsequence would; and it
takes time proportional to the text, whatever the text, since the search around a difference has a limit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

Line = TypeVar("Line", str, bytes)

CONTEXT = 3
"""Equal lines that are shown before and after a difference."""
MAX_ROWS = 1_500
"""Rows of a file that are shown; the texts themselves lie beside each other on the disk."""
MAX_COLUMNS = 400
"""Characters of a line that are shown."""
_FARTHEST = 400
"""Lines of both texts together that are passed over in search of where they go on alike."""
_BUDGET = 2_000_000
"""Comparisons that are spent on a file; what lies behind counts as one difference."""


class Row(NamedTuple):
    """A line of the one text beside a line of the other; ``None`` where one has none."""

    old: int | None
    """The number of the line, from 1."""
    new: int | None
    before: str | None
    after: str | None

    @property
    def is_equal(self) -> bool:
        """Whether nothing changed in the line."""
        return self.old is not None and self.new is not None and self.before == self.after


class Hunks(NamedTuple):
    """The differences of a file."""

    parts: tuple[tuple[Row, ...], ...] = ()
    """Rows that follow each other, in order."""
    left_out: int = 0
    """Rows beyond :data:`MAX_ROWS`."""


class Touched(NamedTuple):
    """What changed in a file, by lines from 1."""

    ranges: tuple[tuple[int, int], ...] = ()
    """Lines from the first to before the last, in order; nothing between them where lines are gone."""

    @property
    def is_changed(self) -> bool:
        """Whether anything changed."""
        return bool(self.ranges)

    def touches(self, first: int, last: int) -> bool:
        """Whether one of some lines changed, or lines between two of them are gone."""
        before = bisect_right(self.ranges, (last, 1 << 60))
        return any(
            end > first if end > start else first < start <= last for start, end in self.ranges[:before]
        )


ALL = Touched(((1, 1 << 60),))


class _Block(NamedTuple):
    """Lines that differ, as ranges of both texts."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def hunks_of(before: str, after: str, context: int = CONTEXT) -> Hunks:
    """The differences between two texts of a file, with equal lines around each; none at all for 0."""
    old, new = _lines(before), _lines(after)
    parts: list[tuple[Row, ...]] = []
    kept = left_out = 0
    for group in _groups(_blocks(old, new), context):
        rows = tuple(row for row in _rows(group, old, new, context) if context or not row.is_equal)
        room = max(0, MAX_ROWS - kept)
        kept += len(rows)
        left_out += max(0, len(rows) - room)
        if room:
            parts.append(rows[:room])
    return Hunks(tuple(parts), left_out)


def differing_lines(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Ranges of lines, from 0, that a text has in place of another one's; empty where lines are gone."""
    return ((block.new_start, block.new_end) for block in _blocks(old, new))


def _lines(text: str) -> list[str]:
    """The lines as findings count them; what ends them is not shown."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if not lines[-1] else lines


def _blocks(old: Sequence[Line], new: Sequence[Line]) -> Iterator[_Block]:
    i = j = spent = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        skipped, cost = _nearest_meeting(old, new, i, j) if spent < _BUDGET else (None, 0)
        spent += cost
        if skipped is None:
            break
        yield _Block(i, i + skipped[0], j, j + skipped[1])
        i, j = i + skipped[0], j + skipped[1]
    if i < len(old) or j < len(new):
        yield _Block(i, len(old), j, len(new))


def _nearest_meeting(
    old: Sequence[Line], new: Sequence[Line], i: int, j: int
) -> tuple[tuple[int, int] | None, int]:
    """How many lines of each text to pass over until both go on alike; and the comparisons it took."""
    cost = 0
    for distance in range(1, _FARTHEST):
        for skipped in range(distance + 1):
            cost += 1
            if _meet(old, new, i + skipped, j + distance - skipped):
                return (skipped, distance - skipped), cost
    return None, cost


def _meet(old: Sequence[Line], new: Sequence[Line], i: int, j: int) -> bool:
    """Whether two lines are equal and the next two as well: a single blank line is equal to any other."""
    if i > len(old) or j > len(new):
        return False
    rest = min(2, max(len(old) - i, len(new) - j))
    return old[i : i + rest] == new[j : j + rest]


def _groups(blocks: Iterator[_Block], context: int) -> Iterator[list[_Block]]:
    """Blocks whose surroundings touch, together."""
    group: list[_Block] = []
    for block in blocks:
        if group and block.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _rows(group: Sequence[_Block], old: Sequence[str], new: Sequence[str], context: int) -> Iterator[Row]:
    first, last = group[0], group[-1]
    i = max(0, first.old_start - context)
    j = first.new_start - (first.old_start - i)
    for block in group:
        while i < block.old_start:
            yield _equal(i, j, old[i])
            i, j = i + 1, j + 1
        yield from _changed(block, old, new)
        i, j = block.old_end, block.new_end
    for _ in range(min(context, len(old) - last.old_end)):
        yield _equal(i, j, old[i])
        i, j = i + 1, j + 1


def _equal(i: int, j: int, line: str) -> Row:
    text = line[:MAX_COLUMNS]
    return Row(i + 1, j + 1, text, text)


def _changed(block: _Block, old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    befores = range(block.old_start, block.old_end)
    afters = range(block.new_start, block.new_end)
    for i, j in zip_longest(befores, afters):
        before = None if i is None else old[i]
        after = None if j is None else new[j]
        if before is not None and after is not None:
            before, after = _windows(before, after)
        shown = tuple(None if line is None else line[:MAX_COLUMNS] for line in (before, after))
        yield Row(None if i is None else i + 1, None if j is None else j + 1, *shown)


def _windows(before: str, after: str) -> tuple[str, str]:
    """Both lines from shortly before their first difference, where that lies beyond what is shown."""
    start = common_prefix(before, after)
    if start < MAX_COLUMNS // 2:
        return before, after
    start -= MAX_COLUMNS // 4
    return "…" + before[start:], "…" + after[start:]


def common_prefix(one: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))
