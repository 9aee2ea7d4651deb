"""Whether an edit of a module leaves what other files, and the ways of words, see of it.

Comments, blank lines and the values of numbers with a point lead no word anywhere. So a module that differs
in these alone is linked as it was, without a parse: the lines of code are compared as text.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from ...model.project.decisions import common_bytes
from ...model.project.shifts import Shift
from ...text.source_file import SourceFile

_MOST_BYTES = 100_000
"""Between the first and the last edit, beyond which the module counts as another."""
_PIECE = re.compile(
    rb'"""(?:[^\\]|\\.)*?"""'
    rb"|'''(?:[^\\]|\\.)*?'''"
    rb'|"(?!"")(?:[^"\\\n]|\\.)*"'
    rb"|'(?!'')(?:[^'\\\n]|\\.)*'"
    rb"|(?P<comment>\#[^\n]*)|(?P<lone>[\"'])",
    re.DOTALL,
)
_NUMBER = re.compile(rb"(?<![\w.])\d[\d_]*\.\d[\d_]*(?:[eE][+-]?\d+)?(?![\w.])")
_NOTHING_AFTER_CONTINUATION = re.compile(rb"\\\r?\n[ \t\f\r]*(?:\n|\Z)")


class _Line(NamedTuple):
    """A line of code; what goes on within a string is one line."""

    start: int
    code: bytes


def same_code(source: SourceFile, text: str) -> Shift | None:
    """The edit that makes one text of another and leaves its code; None where it may not.

    Args:
        source: The module before.
        text: The text after.
    """
    before, after = source.data, source.as_read(text.encode("utf-8", "surrogatepass"))
    first = common_bytes(before, after)
    last = common_bytes(before[first:][::-1], after[first:][::-1])
    start, size = before.rfind(b"\n", 0, first) + 1, len(before) + len(after) - first - last - first - last
    if size > _MOST_BYTES or source.has_syntax_error or _is_continued(source, start):
        return None
    old, new = (_lines(data, start, len(data) - last) for data in (before, after))
    if old is None or new is None or len(old) != len(new) or not all(map(_is_same, old, new)):
        return None
    gaps = zip(old, _gaps(before, start, old), _gaps(after, start, new), strict=True)
    if any(gap != now and _is_decorated(source, line) for line, gap, now in gaps):
        return None  # the grammar cannot read every comment behind a decorator
    moves = tuple((line.start, now.start) for line, now in zip(old, new, strict=True))
    return Shift(before, after, moves, len(before) - last)


def _is_continued(source: SourceFile, start: int) -> bool:
    """Whether the line that begins at an offset goes on with what the one before began."""
    if source.data[:start].rstrip(b"\r\n").endswith(b"\\"):
        return True
    node = source.node_at(start, start)
    string = node if node is None or node.type == "string" else source.enclosing(node, "string")
    return string is not None and string.start_byte < start


def _lines(data: bytes, start: int, end: int) -> list[_Line] | None:
    """The lines of code from an offset to the line that another is in; None where they do not show it."""
    stop = data.find(b"\n", end)
    has_lone = False

    def without_comments(piece: re.Match[bytes]) -> bytes:
        nonlocal has_lone
        has_lone = has_lone or piece.lastgroup == "lone"
        return b" " * len(piece[0]) if piece.lastgroup == "comment" else piece[0].replace(b"\n", b"\0")

    code = _PIECE.sub(without_comments, data[start : stop if stop >= 0 else len(data)])
    if has_lone or _NOTHING_AFTER_CONTINUATION.search(code):
        return None
    lines = code.split(b"\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=start)
    return [_Line(at, line.rstrip()) for at, line in zip(starts, lines, strict=False) if line.strip()]


def _gaps(data: bytes, start: int, lines: list[_Line]) -> list[bytes]:
    """The text before each line of code."""
    ends = (start, *(line.start + len(line.code) for line in lines))
    return [data[end : line.start] for end, line in zip(ends, lines, strict=False)]


def _is_decorated(source: SourceFile, line: _Line) -> bool:
    """Whether a line goes on with a definition that a decorator began."""
    at = line.start + len(line.code) - len(line.code.lstrip())
    node = source.node_at(at, at + 1)
    owner = source.enclosing(node, "decorated_definition") if node is not None else None
    return owner is not None and any(child.start_byte == at for child in owner.children[1:])


def _is_same(line: _Line, other: _Line) -> bool:
    """Whether two lines are the same but for numbers; behind those, no string has another place."""
    if line.code == other.code:
        return True
    has_strings = b'"' in line.code or b"'" in line.code
    return not has_strings and _NUMBER.sub(b"0.0", line.code) == _NUMBER.sub(b"0.0", other.code)
