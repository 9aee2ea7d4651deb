"""The cells of a notebook as one Python source, with the way back from every offset to its cell."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..edits.offsets import EditTrace, Inside, apply_edits, edited
from ..model.finding import Edit
from ..model.outcome import FixOutcome
from ..text.parts.part import moved
from ..text.plain.text_file import TextFile
from ..text.source_file import SourceFile
from .magics import mask_magics
from .shell_parts import ShellPart, masked_part_cell, shell_parts
from .source import NotebookSource

_SEPARATOR = "\n\n"
"""Between two cells. An edit that takes a cell's last line with its newline leaves one to keep them apart; so
there is one behind a cell that is empty."""
_NEWLINE = re.compile(r"\r\n|\r|\n")
_LAST_NEWLINE = re.compile(r"(?:\r\n|\r|\n)\Z")
_INDENTED = re.compile(r"(?:[ \t\f]*[\r\n])*[ \t\f]+[^\s#]")


class CellSpan(NamedTuple):
    """A span within one cell: byte offsets into the cell's own text."""

    cell: int
    """The cell's place among those that the composite was made from, from 0."""
    start: int
    end: int


class Composite:
    """Python cells put together, so that what one cell imports the next ones know.

    Cells that a magic hands to another language are left out, but for a shell's and modules of their own,
    which come last: to the notebook's Python they are comments. A cell that does not parse goes behind the
    others, or its open bracket would swallow them; the order matters only for where imports go.

    Args:
        cells: The text of each code cell, in the notebook's order; ``None`` for one to leave out.
        path: The notebook's path, as the project view knows it.
    """

    def __init__(self, cells: Sequence[str | None], path: str = "") -> None:
        self.cells = tuple(cells)
        shown = [(index, masked) for index, masked in enumerate(map(_masked, cells)) if masked is not None]
        whole = [item for item in shown if not _is_broken(item[1])]
        broken = [item for item in shown if _is_broken(item[1])]
        shell = [(index, text) for index, text in enumerate(map(_masked_shell, cells)) if text is not None]
        shown += shell
        separator = _separator(text for _, text in shown)
        self._newline = separator[: len(separator) // 2]
        self._starts: list[int] = []
        self._order: list[int] = []
        self._ends: list[int] = []
        parts: list[str] = []
        shell_code: list[ShellPart] = []
        at = 0
        for index, text in (*whole, *broken, *shell):
            size = len(_encode(text))
            self._order.append(index)
            self._starts.append(at)
            self._ends.append(at + size)
            shell_code += (moved(part, at) for part in _shell_parts(cells[index] or ""))
            between = separator if text else self._newline
            parts += (text, between)
            at += size + len(between)
        self.masked = dict(shown)
        """The text that the parser sees of each cell that was taken in."""
        self.source = self._source("".join(parts), path, shell_code)
        self._places = {cell: place for place, cell in enumerate(self._order)}

    def _source(self, text: str, path: str, shell_code: Sequence[ShellPart]) -> SourceFile:
        if not shell_code:
            return SourceFile(text, path)
        written = self._unmasked(_encode(text)).decode("utf-8", "surrogatepass")
        return NotebookSource(text, path, written, shell_code)

    def line_place(self, line: int) -> CellSpan | None:
        """The cell of a line of the composite, counted from 0, and where the line begins and ends in it."""
        return self.span(*self.source.lines.line_span(line))

    def span(self, start: int, end: int) -> CellSpan | None:
        """The cell of a span of the composite, and the span in it; ``None`` in a composite of no cells.

        What reaches beyond the cell in which the span begins is cut off.
        """
        place = bisect.bisect_right(self._starts, start) - 1
        if place < 0:
            return None
        first, last = self._starts[place], self._ends[place]
        return CellSpan(self._order[place], min(start, last) - first, min(end, last) - first)

    def offset(self, cell: int, offset: int) -> int | None:
        """The place in the composite of a byte offset in a cell; ``None`` for a cell that was left out."""
        if cell not in self.masked:
            return None
        return self._starts[self._places[cell]] + offset

    def cell_edits(self, edits: Iterable[Edit]) -> dict[int, list[Edit]]:
        """Edits of the composite by cell, with offsets into the cell's own text."""
        found: dict[int, list[Edit]] = {}
        for edit in edits:
            span = self.span(edit.start, edit.end)
            if span is not None:
                start, end = self._behind_magic(span)
                text = self._below(edit.text) if self._is_between(edit.start) else edit.text
                found.setdefault(span.cell, []).append(Edit(start, end, text))
        return found

    def _is_between(self, offset: int) -> bool:
        """Whether a place is on the empty line between two cells, where what follows a cell's last line is
        inserted."""
        place = bisect.bisect_right(self._starts, offset) - 1
        return place >= 0 and offset > self._ends[place]

    def _below(self, text: str) -> str:
        """Lines as they follow a cell's last one, which has no end of its own."""
        return self._newline + text.removesuffix(self._newline)

    def _behind_magic(self, span: CellSpan) -> tuple[int, int]:
        """A span in a cell; an insertion before a cell magic, which must come first, goes behind it."""
        masked = self.masked[span.cell]
        if span.start or span.end or not masked.startswith("#%") or "\n" not in masked:
            return span.start, span.end
        at = len(_encode(masked[: masked.index("\n") + 1]))
        return at, at

    def replay(self, outcome: FixOutcome) -> dict[int, str]:
        """The new text of each cell that fixes of :attr:`source` changed.
        Raises ValueError: the outcome is that of another text, or was not made by edits."""
        source: TextFile = self.source
        data = self._unmasked(self.source.raw)
        for edits in outcome.edits:
            source = edited(source, edits)
            data = apply_edits(data, edits)
        if source.text != outcome.text:
            raise ValueError("the edits do not lead to the outcome's text")
        # What is inserted at a cell's end belongs to it, and what is left of an edit over that end.
        trace = EditTrace(outcome.edits)
        starts = [trace.present(offset, Inside.END, past_insertions=False) for offset in self._starts]
        ends = [trace.present(offset, Inside.END) for offset in self._ends]
        half = len(self._newline)
        between = [trace.present(offset + half, Inside.END) for offset in self._ends]
        ends = [last - half if last - end > half else end for end, last in zip(ends, between, strict=True)]
        changed: dict[int, str] = {}
        for index, start, end in zip(self._order, starts, ends, strict=True):
            old, new = self.cells[index] or "", data[start:end].decode("utf-8", "surrogatepass")
            if not _NEWLINE.search(old[-1:]):  # a cell whose last line is taken out ends with the one before
                new = _LAST_NEWLINE.sub("", new)
            if new != old:
                changed[index] = new
        return changed

    def _unmasked(self, text: bytes) -> bytes:
        """The composite with the cells as they are written: the same offsets, and nothing hidden."""
        parts: list[bytes] = []
        at = 0
        for index, start, end in zip(self._order, self._starts, self._ends, strict=True):
            parts += (text[at:start], _encode(self.cells[index] or ""))
            at = end
        return b"".join((*parts, text[at:]))


@lru_cache(maxsize=1024)
def _masked(text: str | None) -> str | None:
    return None if text is None else mask_magics(text)


@lru_cache(maxsize=1024)
def _masked_shell(text: str | None) -> str | None:
    return None if text is None else masked_part_cell(text)


@lru_cache(maxsize=1024)
def _shell_parts(text: str) -> tuple[ShellPart, ...]:
    return tuple(shell_parts(text))


@lru_cache(maxsize=1024)
def _is_broken(text: str) -> bool:
    return _INDENTED.match(text) is not None or SourceFile(text).has_syntax_error


def _separator(texts: Iterable[str]) -> str:
    """Two line ends of the kind that the cells have."""
    found: Iterator[re.Match[str]] = (match for text in texts if (match := _NEWLINE.search(text)))
    first = next(found, None)
    return _SEPARATOR if first is None else first[0] * 2


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
