"""Where patterns stand in the code of a file, comments aside: searched once, asked about for many parts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.parsed_text import ParsedText


class Span(NamedTuple):
    """A part of a text, in bytes."""

    start: int
    end: int

    @classmethod
    def of(cls, node: Node) -> Span:
        """The part that a node is."""
        return cls(node.start_byte, node.end_byte)


class CodePattern(NamedTuple):
    """What is searched for in code: it matches within a line, and matches no ``#``."""

    pattern: re.Pattern[bytes]
    words: tuple[bytes, ...]
    """Of which one stands in every match. Most lines have none, and are not searched by the pattern."""

    def matches(self, data: bytes) -> Iterator[re.Match[bytes]]:
        """Every match in a text, in its order."""
        for start, end in sorted({line for word in self.words for line in _lines_with(word, data)}):
            yield from self.pattern.finditer(data, start, end)

    def is_in(self, data: bytes) -> bool:
        """Whether a text has a match."""
        return next(self.matches(data), None) is not None


def _lines_with(word: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    at = data.find(word)
    while at >= 0:
        line_end = data.find(b"\n", at)
        end = line_end if line_end >= 0 else len(data)
        yield data.rfind(b"\n", 0, at) + 1, end
        at = data.find(word, end)


class CodeSearch:
    """The places of a pattern in one text."""

    def __init__(self, pattern: CodePattern, data: bytes) -> None:
        self._data = data
        self._clear: list[Span] = []
        """With no ``#`` before them in their line."""
        self._doubtful: list[Span] = []
        """Those behind a ``#``, which may stand in a text: in a part that begins behind it they count."""
        for match in pattern.matches(data):
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


def has_in_code(source: ParsedText, pattern: CodePattern, part: Span) -> bool:
    """Whether the code of a part of a file has a pattern; the file is searched when first asked about."""
    source.asked.texts.update(pattern.words)
    return source.once(pattern, lambda: CodeSearch(pattern, source.data)).is_in(part)


def rest_of_block(statement: Node) -> Span:
    """What follows a statement in its block."""
    block = parent_of(statement)
    return Span(statement.end_byte, block.end_byte if block is not None else statement.end_byte)


MOVES = CodePattern(
    re.compile(
        rb"""\.(?:cuda|npu)\(|["'](?:cuda|npu)(?::|["'])"""
        rb"""|\btorch(?:\.accelerator|(?:_npu)?\.(?:cuda|npu))\.(?!is_available|device_count)"""
        rb"""|(?<![.\w])get_device\(\)"""
    ),
    (b"cuda", b"npu", b"accelerator", b"get_device"),
)
"""Code that moves something to the device, or uses it, in the words of CUDA, of the NPU or of any."""
