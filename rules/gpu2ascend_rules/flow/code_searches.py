"""Where patterns stand in the code of a file, comments aside: searched once, asked about for many parts."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from tree_sitter import Node

from ..text.parsed_text import ParsedText


class Span(NamedTuple):
    """A part of a text, in bytes."""

    start: int
    end: int

    @classmethod
    def of(cls, node: Node) -> Span:
        """The part that a node is."""
        return cls(node.start_byte, node.end_byte)


class CodeSearch:
    """The places of a pattern, which matches within a line and matches no ``#``."""

    def __init__(self, pattern: re.Pattern[bytes], data: bytes) -> None:
        self._data = data
        self._clear: list[Span] = []
        """With no ``#`` before them in their line."""
        self._doubtful: list[Span] = []
        """Those behind a ``#``, which may stand in a text: in a part that begins behind it they count."""
        for match in pattern.finditer(data):
            line = data.rfind(b"\n", 0, match.start()) + 1
            is_clear = data.find(b"#", line, match.start()) < 0
            (self._clear if is_clear else self._doubtful).append(Span(*match.span()))

    def is_in(self, part: Span) -> bool:
        """Whether the code of a part of the file has the pattern."""
        first = bisect_left(self._clear, (part.start,))
        if first < len(self._clear) and self._clear[first].end <= part.end:
            return True
        if not self._doubtful:
            return False
        line_end = self._data.find(b"\n", part.start, part.end)
        end = part.end if line_end < 0 else line_end
        first = bisect_left(self._doubtful, (part.start,))
        return any(
            match.end <= end and self._data.find(b"#", part.start, match.start) < 0
            for match in self._doubtful[first : bisect_left(self._doubtful, (end,))]
        )


def has_in_code(source: ParsedText, pattern: re.Pattern[bytes], part: Span) -> bool:
    """Whether the code of a part of a file has a pattern; the file is searched when first asked about."""
    return source.once(pattern, lambda: CodeSearch(pattern, source.data)).is_in(part)


def rest_of_block(statement: Node) -> Span:
    """What follows a statement in its block."""
    block = statement.parent
    return Span(statement.end_byte, block.end_byte if block is not None else statement.end_byte)
