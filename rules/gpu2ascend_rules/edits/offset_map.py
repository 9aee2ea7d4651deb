"""Back from an offset in an edited text to the line of the text as it was given."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from ..model.finding import Edit
from ..text.lines import LineIndex


class EditTrace:
    """The edits of each pass over a text, in order."""

    def __init__(self) -> None:
        self._passes: list[_Pass] = []

    def add(self, edits: Iterable[Edit]) -> None:
        """Record a pass: its edits, with offsets into the text before it."""
        self._passes.append(_Pass(edits))

    @property
    def edits(self) -> tuple[tuple[Edit, ...], ...]:
        """The edits of each pass, by place."""
        return tuple(tuple(done.edits) for done in self._passes)

    def origin(self, offset: int) -> int:
        """The offset in the given text of an offset in the present one; new text maps to where it went."""
        for done in reversed(self._passes):
            offset = done.before(offset)
        return offset

    def present(self, offset: int) -> int:
        """The offset in the present text of an offset in the given one."""
        for done in self._passes:
            offset = done.after(offset)
        return offset

    def lines(self, start: int, end: int, given: LineIndex) -> tuple[int, int]:
        """First and last line, from 1, of a span in the given text."""
        first = given.line_of(self.origin(start))
        last = given.line_of(self.origin(max(start, end - 1)))
        return first + 1, max(first, last) + 1


class _Pass:
    """The edits of one pass, as a map from offsets after it to offsets before it."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self.edits = sorted(edits)
        self._starts: list[int] = []
        shift = 0
        for edit in self.edits:
            self._starts.append(edit.start + shift)
            shift += len(edit.text.encode("utf-8", "surrogatepass")) - (edit.end - edit.start)

    def after(self, offset: int) -> int:
        shift = 0
        for edit in self.edits:
            growth = len(edit.text.encode("utf-8", "surrogatepass")) - (edit.end - edit.start)
            if edit.end <= offset:
                shift += growth
            elif edit.start <= offset:
                return edit.start + shift
            else:
                break
        return offset + shift

    def before(self, offset: int) -> int:
        index = bisect.bisect_right(self._starts, offset) - 1
        if index < 0:
            return offset
        edit = self.edits[index]
        new_end = self._starts[index] + len(edit.text.encode("utf-8", "surrogatepass"))
        if offset < new_end:
            return min(edit.start + (offset - self._starts[index]), max(edit.start, edit.end - 1))
        return edit.end + (offset - new_end)
