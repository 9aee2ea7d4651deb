"""A client's changes applied to a text: a key, or the thousands of a formatter at the same cost each."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from lsprotocol import types
from tree_sitter import Point, Tree

from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex, Position, line_starts
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

_WORTH_A_TREE = 20
"""Changes in one notification up to which parsing anew from the old tree is quicker than from nothing."""


def changed(
    source: TextFile, changes: Sequence[types.TextDocumentContentChangeEvent], unit: ColumnUnit
) -> TextFile:
    """The text after changes, each of which counts in the text that the one before it left."""
    tree = None
    if isinstance(source, SourceFile) and len(changes) <= _WORTH_A_TREE:
        tree = source.editable_tree
    text = _Text(source.raw, tree.copy() if tree is not None else None)
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            text.replace(change.range, storable(change.text), unit)
        else:
            text = _Text(storable(change.text).encode("utf-8", "surrogatepass"), None)
    new = text.data.decode("utf-8", "surrogatepass")
    if isinstance(source, SourceFile):
        return SourceFile(new, source.path, text.tree)
    return source.renewed(new)


def storable(text: str) -> str:
    """A text of which a client's halves of surrogate pairs have been put together again."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


class _Text:
    """A text being changed, with its line starts.

    The starts behind the last change are brought up to date only when a change comes there: a formatter's
    changes, which go through the text in order, would otherwise cost all lines each.
    """

    def __init__(self, data: bytes, tree: Tree | None) -> None:
        self.data = bytearray(data)
        self.tree = tree
        self._starts = line_starts(data)
        self._current = len(self._starts)
        """So many starts are up to date; the others lack ``_shift``."""
        self._shift = 0

    def replace(self, place: types.Range, new: str, unit: ColumnUnit) -> None:
        """Put a text into a range; one that ends before it begins is an insertion."""
        start = self._offset(place.start, unit)
        end = max(start, self._offset(place.end, unit))
        inserted = new.encode("utf-8", "surrogatepass")
        if self.tree is not None:
            self._tell_tree(self.tree, start, end, inserted)
        line = self._line_of(start)
        if line == self._line_of(end) and self._is_within_line(start, end, inserted):
            self._bring_up_to(line)
            self._put_off_from(line + 1)
            self._shift += len(inserted) - (end - start)
            self.data[start:end] = inserted
        else:
            self._splice(start, end, inserted)

    def _is_within_line(self, start: int, end: int, new: bytes) -> bool:
        """Whether a change within a line makes no line and joins no halves of a line end."""
        if b"\n" in new or b"\r" in new:
            return False
        return not (self.data[max(0, start - 1) : start] == b"\r" and self.data[end : end + 1] == b"\n")

    def _offset(self, position: types.Position, unit: ColumnUnit) -> int:
        if position.line >= len(self._starts):
            return len(self.data)
        start, end = self._line(position.line)
        line = self.data[start:end]
        if line.isascii():
            return start + min(position.character, len(line.rstrip(b"\r\n")))
        return start + LineIndex(bytes(line)).offset(Position(0, position.character), unit)

    def _line(self, line: int) -> tuple[int, int]:
        """Where a line begins and ends, its newline included."""
        self._bring_up_to(line + 1)
        last = line + 1 >= len(self._starts)
        return self._starts[line], len(self.data) if last else self._starts[line + 1]

    def _bring_up_to(self, line: int) -> None:
        """Make the starts up to a line's current, and those behind it all of one kind."""
        for index in range(self._current, min(line + 1, len(self._starts))):
            self._starts[index] += self._shift
        self._current = max(self._current, min(line + 1, len(self._starts)))

    def _put_off_from(self, line: int) -> None:
        """Let the starts from a line on lack the shift, though they may have had it."""
        for index in range(line, self._current):
            self._starts[index] -= self._shift
        self._current = line

    def _splice(self, start: int, end: int, new: bytes) -> None:
        first = self._line_of(max(0, start - 1))  # the byte before may be half of a line end
        after = self._line_of(end) + 1
        self._bring_up_to(after)
        region_start = self._starts[first]
        region_end = self._starts[after] if after < len(self._starts) else len(self.data)
        shift = len(new) - (end - start)
        self.data[start:end] = new
        found = line_starts(bytes(self.data[region_start : region_end + shift]))
        starts = [region_start + start for start in found[1:]]
        if after < len(self._starts):
            starts.pop()  # the start of the line behind the region is in the list already
        self._put_off_from(after)
        self._starts[first + 1 : after] = starts
        self._current = first + 1 + len(starts)
        self._shift += shift

    def _line_of(self, offset: int) -> int:
        index = bisect.bisect_right(self._starts, offset, hi=self._current)
        if index == self._current:
            index = bisect.bisect_right(self._starts, offset - self._shift, lo=self._current)
        return index - 1

    def _tell_tree(self, tree: Tree, start: int, end: int, new: bytes) -> None:
        """The next parse then only looks at what has changed.

        So has a CR before it: with an LF behind it the parser sees it as it is, without one as a line end.
        """
        if self.data[max(0, start - 1) : start] == b"\r":
            start, new = start - 1, b"\r" + new
        first, last = self._point(start), self._point(end)
        breaks = line_starts(new)[1:]
        row = first.row + len(breaks)
        column = len(new) - breaks[-1] if breaks else first.column + len(new)
        tree.edit(start, end, start + len(new), first, last, Point(row, column))

    def _point(self, offset: int) -> Point:
        line = self._line_of(offset)
        point: Point = Point(line, offset - self._line(line)[0])
        return point
