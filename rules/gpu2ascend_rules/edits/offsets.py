"""Offsets through edits: applying edits, several passes as one, and the map from one text to the other."""

from __future__ import annotations

import bisect
import enum
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..model.finding import Edit
from ..text.lines import LineIndex
from ..text.plain.text_file import TextFile


def text_edits(old: str, new: str) -> tuple[Edit, ...]:
    """Edits of whole lines, as few and small as the difference allows; places are bytes of ``old``."""
    import difflib

    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0, *accumulate(len(line.encode("utf-8", "surrogatepass")) for line in before)]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        Edit(starts[first], starts[last], "".join(after[new_first:new_last]))
        for tag, first, last, new_first, new_last in matcher.get_opcodes()
        if tag != "equal"
    )


def apply_edits(data: bytes, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> bytes:
    """A text after edits that do not overlap, or its part from ``start`` to ``end`` that holds them."""
    parts: list[bytes] = []
    at = start
    for edit in sorted(edits):
        parts += (data[at : edit.start], written_by(edit))
        at = edit.end
    parts.append(data[at:end])
    return b"".join(parts)


def edited(source: TextFile, edits: Iterable[Edit]) -> TextFile:
    """A file after edits that do not overlap."""
    edits = tuple(edits)
    return source.after(edits, apply_edits(source.raw, edits))


def written_by(edit: Edit) -> bytes:
    """The new text of an edit, in the encoding that its offsets count in."""
    return edit.text.encode("utf-8", "surrogatepass")


def compose(first: Iterable[Edit], between: bytes, second: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits that do at once what ``first`` does to a text and ``second`` to what that gives, ``between``.

    Both are free of overlaps, and so is the result. Edits that touch become one.
    """
    touched: list[Written | Edit] = [*OffsetMap(first).written(), *second]
    spans = sorted(touched, key=lambda span: (span.start, span.end))
    shift = 0
    edits = []
    for group in _groups(spans):
        start, end = group[0].start, max(span.end for span in group)
        before = start - shift
        shift += sum(span.growth for span in group if isinstance(span, Written))
        later = (span for span in group if isinstance(span, Edit))
        text = apply_edits(between, later, start, end).decode("utf-8", "surrogatepass")
        edits.append(Edit(before, end - shift, text))
    return tuple(edits)


def _groups(spans: Sequence[Written | Edit]) -> Iterator[list[Written | Edit]]:
    """The spans that overlap or touch, together."""
    group: list[Written | Edit] = []
    end = -1
    for span in spans:
        if group and span.start > end:
            yield group
            group, end = [], -1
        group.append(span)
        end = max(end, span.end)
    if group:
        yield group


class Inside(enum.Enum):
    """Where an offset goes that is within a text which an edit replaces."""

    START = "start"
    """To where the new text begins."""
    END = "end"
    """To where the new text ends."""


class Span(NamedTuple):
    """A span of a text, in bytes, end exclusive."""

    start: int
    end: int


class Written(NamedTuple):
    """An edit, and where the text that it writes is in the edited text."""

    start: int
    end: int
    edit: Edit

    @property
    def growth(self) -> int:
        """By how many bytes the edit makes the text longer."""
        return (self.end - self.start) - (self.edit.end - self.edit.start)


class OffsetMap:
    """One pass: edits of a text that do not overlap, of which the map is made once, in any order.

    "Given" is the text before the edits, "present" the one after them.
    """

    def __init__(self, edits: Iterable[Edit]) -> None:
        self.edits = sorted(edits)
        """By place."""
        sizes = [len(written_by(edit)) for edit in self.edits]
        growths = (size - (edit.end - edit.start) for size, edit in zip(sizes, self.edits, strict=True))
        self._shifts = [0, *accumulate(growths)]
        """By how much so many of the first edits move what is behind them."""
        self._starts = [edit.start + shift for edit, shift in zip(self.edits, self._shifts, strict=False)]
        self._ends = [start + size for start, size in zip(self._starts, sizes, strict=True)]

    def written(self) -> Iterator[Written]:
        """What each edit writes, in the present text."""
        return map(Written, self._starts, self._ends, self.edits)

    def present(self, offset: int, inside: Inside = Inside.START, *, past_insertions: bool = True) -> int:
        """The offset in the present text of one in the given text.

        Args:
            offset: In the given text.
            inside: Where an offset goes that an edit leaves no place.
            past_insertions: Whether what is inserted at the very offset comes before it then.
        """
        count = bisect.bisect_left(self.edits, (offset, offset + 1) if past_insertions else (offset,))
        if count and self.edits[count - 1].end > offset:
            return self._starts[count - 1] if inside is Inside.START else self._ends[count - 1]
        return offset + self._shifts[count]

    def replaces(self, offset: int) -> bool:
        """Whether an edit replaces or deletes what is at an offset of the given text."""
        count = bisect.bisect_left(self.edits, (offset + 1,))
        return bool(count) and self.edits[count - 1].end > offset

    def given(self, offset: int) -> int:
        """The offset in the given text of one in the present text; new text maps to where it went."""
        index = bisect.bisect_right(self._starts, offset) - 1
        if index < 0:
            return offset
        edit, start, end = self.edits[index], self._starts[index], self._ends[index]
        if offset < end:
            return min(edit.start + (offset - start), max(edit.start, edit.end - 1))
        return edit.end + (offset - end)


class EditTrace:
    """The edits of each pass over a text, in order, as one map from the text before to that after."""

    def __init__(self, passes: Iterable[Iterable[Edit]] = ()) -> None:
        self._passes = [OffsetMap(edits) for edits in passes]

    def add(self, edits: Iterable[Edit]) -> None:
        """Record a pass: its edits, with offsets into the text before it."""
        self._passes.append(OffsetMap(edits))

    @property
    def edits(self) -> tuple[tuple[Edit, ...], ...]:
        """The edits of each pass, by place."""
        return tuple(tuple(done.edits) for done in self._passes)

    def given(self, offset: int) -> int:
        """The offset in the given text of one in the present text; new text maps to where it went."""
        for done in reversed(self._passes):
            offset = done.given(offset)
        return offset

    def present(self, offset: int, inside: Inside = Inside.START, *, past_insertions: bool = True) -> int:
        """The offset in the present text of one in the given text, as :meth:`OffsetMap.present`."""
        for done in self._passes:
            offset = done.present(offset, inside, past_insertions=past_insertions)
        return offset

    def given_span(self, start: int, end: int) -> Span:
        """Where a span of the present text was in the given one."""
        begins = self.given(start)
        return Span(begins, max(begins, self.given(end)))

    def present_span(self, start: int, end: int) -> Span:
        """Where a span of the given text is in the present one."""
        begins = self.present(start)
        return Span(begins, max(begins, self.present(end)))

    def given_lines(self, start: int, end: int, given: LineIndex) -> tuple[int, int]:
        """First and last line, from 1, in the given text of a span of the present one."""
        first = given.line_of(self.given(start))
        last = given.line_of(self.given(max(start, end - 1)))
        return first + 1, max(first, last) + 1
