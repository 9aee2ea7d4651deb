"""The one line index: between byte offsets and the columns of every client and library."""

from __future__ import annotations

import bisect
import enum
import re
from itertools import accumulate
from typing import NamedTuple


class ColumnUnit(enum.Enum):
    """What a column counts. Tree-sitter counts bytes, LibCST code points, LSP what was negotiated."""

    BYTE = "utf-8"
    CODE_POINT = "utf-32"
    UTF16 = "utf-16"


class Position(NamedTuple):
    """A place by line and column, both from 0."""

    line: int
    column: int


_LONE_CR = re.compile(rb"\r(?!\n)")


def with_lone_cr_as_lf(data: bytes) -> bytes:
    """A text of the same length whose lines end in LF or CR LF alone.

    Python ends a line at a CR, tree-sitter's comments and patterns over lines go on to the LF.
    """
    return _LONE_CR.sub(b"\n", data) if b"\r" in data else data


def ended_by_lf(data: bytes) -> list[bytes]:
    """The lines of a text in a language in which an LF alone ends one, each with its end."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def line_starts(data: bytes) -> list[int]:
    """Where each line begins; a text that ends in a newline has an empty last line."""
    starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]  # of bytes: at CR and LF only
    if len(starts) > 1 and data[-1] not in b"\r\n":
        starts.pop()
    return starts


class LineIndex:
    """Line starts of a UTF-8 text. A line ends at LF, CR LF or CR only, as in Python and in LSP.

    ``str.splitlines`` also splits at form feeds, U+2028 and others, so it must not be used here.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = line_starts(data)

    @property
    def line_count(self) -> int:
        """Number of lines; a text that ends in a newline has an empty last line."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The line, from 0, that holds the byte at ``offset``."""
        return bisect.bisect_right(self._starts, offset) - 1

    def line_start(self, line: int) -> int:
        """Byte offset of the first byte of ``line``."""
        return self._starts[line]

    def line_span(self, line: int) -> tuple[int, int]:
        """Byte offsets of ``line`` without its newline."""
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._data)
        while end > start and self._data[end - 1] in b"\r\n":
            end -= 1
        return start, end

    def position(self, offset: int, unit: ColumnUnit = ColumnUnit.CODE_POINT) -> Position:
        """The line and column of a byte offset."""
        line = self.line_of(offset)
        prefix = self._data[self._starts[line] : offset]
        return Position(line, _width(prefix, unit))

    def offset(self, position: Position, unit: ColumnUnit = ColumnUnit.CODE_POINT) -> int:
        """The byte offset of a line and column; beyond the text's or a line's end, that end.

        Within a character it is the character's first byte.
        """
        if position.line >= len(self._starts):
            return len(self._data)
        start, end = self.line_span(position.line)
        if unit is ColumnUnit.BYTE:
            return self._character_start(start, min(start + position.column, end))
        text = _decode(self._data[start:end])
        if unit is ColumnUnit.CODE_POINT:
            return start + len(_encode(text[: position.column]))
        return start + len(_encode(_prefix_of_utf16_width(text, position.column)))

    def _character_start(self, start: int, offset: int) -> int:
        while start < offset < len(self._data) and self._data[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset


def _prefix_of_utf16_width(text: str, width: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += 2 if ord(char) > 0xFFFF else 1
        if used > width:
            return text[:index]
    return text


def _width(data: bytes, unit: ColumnUnit) -> int:
    if unit is ColumnUnit.BYTE or data.isascii():
        return len(data)
    text = _decode(data)
    if unit is ColumnUnit.CODE_POINT:
        return len(text)
    return sum(2 if ord(char) > 0xFFFF else 1 for char in text)


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
