"""Brackets that nothing closes: while somebody types, nearly every line has one for a moment.

With such a bracket in the text the parser looks through all that follows for its end, at each key, and takes
what it passes for arguments. It is let go on as if the bracket were not there: the line is as broken as it is
either way, and the rest of the file is what it was.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Point, Tree

_MOST = 2_000_000
"""Bytes of a text beyond which it is parsed as it is."""
_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
_TOKEN = re.compile(
    rb"#[^\n]*"
    rb"|\"{3}(?:[^\\\"]|\\.|\"(?!\"\"))*(?P<long>\"{3})?|'{3}(?:[^\\']|\\.|'(?!''))*(?P<other_long>'{3})?"
    rb"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    rb"|(?P<opens>[(\[{])|(?P<closes>[)\]}])|\n(?P<indentation>[ \t\f]*)(?=[^\s#])",
    re.DOTALL,
)
_MARGIN = re.compile(rb"(?<!\\)\n(?=[^\s#)\]}])")
"""Before a line that begins at the left margin: no bracket is open there, whatever was opened before."""
_MOST_SEEN = 16_000_000
"""Bytes of blocks that are remembered."""
_HEADER = re.compile(rb"[ \t]*(?P<def>def)[ \t]+\w+[ \t]*(?P<bracket>\()[^\n]*:[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
"""A whole line of a function's head, as far as its colon."""


class _Block(NamedTuple):
    """What the brackets of a block are to the text: a block ends where a line begins at the left margin."""

    open: tuple[int, ...]
    """The brackets that nothing closes, by their places in the block."""
    closes: bytes
    """What its brackets close that was opened before it, in their order."""
    opens: bytes
    """What it leaves open, in its order, whatever its lines look like."""
    is_sound: bool
    """Whether none of its brackets closes one of another kind."""
    string: int | None
    """Where a string begins that does not end in the block."""


class _Seen:
    """The blocks that were looked at. Between two keys all blocks of a text stay what they were but one."""

    def __init__(self) -> None:
        self._blocks: dict[bytes, _Block] = {}
        self._size = 0

    def block(self, text: bytes) -> _Block:
        """What is found out about a block once, in whatever file it is."""
        block = self._blocks.get(text)
        if block is None:
            if self._size > _MOST_SEEN:
                self._blocks, self._size = {}, 0
            self._blocks[text] = block = _block(text)
            self._size += len(text)
        return block


_seen = _Seen()


def open_brackets(data: bytes) -> tuple[int, ...]:
    """The brackets of a text that nothing closes; none where each has its end, wherever that is.

    A line that begins no further right than that of a bracket is no longer within it, unless it begins with a
    closing one: people break lines otherwise, too, but they close what they open.
    """
    if len(data) > _MOST or all(data.count(opens) == data.count(closes) for closes, opens in _PAIRS.items()):
        return ()
    open_ends: list[int] = []
    found: list[int] = []
    is_sound = True
    for start, block in _blocks(data):
        found += (start + at for at in block.open)
        for kind in block.closes:
            is_sound = is_sound and bool(open_ends) and open_ends.pop() == kind
        is_sound = is_sound and block.is_sound
        open_ends += block.opens
    return () if is_sound and not open_ends else tuple(sorted(found))


def _blocks(data: bytes) -> Iterator[tuple[int, _Block]]:
    """The blocks of a text, each with its place, as far as a string that nothing ends."""
    ends = [match.start() for match in _MARGIN.finditer(data)]
    ends.append(len(data))
    start = number = 0
    while start < len(data):
        block = _seen.block(data[start : ends[number]])
        while block.string is not None and ends[number] < len(data):
            string = _TOKEN.match(data, start + block.string)
            if string is None or string.lastgroup is None:
                break
            # Twice as far at least, so that many such strings in a row cost no look at all of them for each.
            end = min(max(string.end(), 2 * ends[number] - start), len(data))
            number = bisect_left(ends, end, number)
            block = _seen.block(data[start : ends[number]])
        yield start, block
        if block.string is not None:
            return
        start = ends[number]
        number += 1


def _block(data: bytes) -> _Block:
    """The brackets of a block."""
    open_ends, closes = bytearray(), bytearray()
    found: list[int] = []
    opened: list[tuple[int, int]] = []  # each bracket with the indentation of its line
    indentation, is_sound = 0, True
    string = None
    for token in _TOKEN.finditer(data):
        kind = token.lastgroup
        if kind == "indentation":
            indentation = token.end() - token.start() - 1
            if data[token.end() : token.end() + 1] not in _PAIRS:
                while opened and indentation <= opened[-1][1]:
                    found.append(opened.pop()[0])
        elif kind == "opens":
            opened.append((token.start(), indentation))
            open_ends += token[0]
        elif kind == "closes":
            opens = _PAIRS[token[0]]
            if open_ends:
                is_sound = is_sound and open_ends.pop() == opens[0]
            else:
                closes += opens
            if opened and data[opened[-1][0] : opened[-1][0] + 1] == opens:
                opened.pop()
        elif kind is None and token[0].startswith((b'"""', b"'''")):
            string = token.start()
            break
    found += (at for at, _ in opened)
    return _Block(tuple(sorted(found)), bytes(closes), bytes(open_ends), is_sound, string)


def without(data: bytes, places: tuple[int, ...]) -> bytes:
    """The text with blanks at some places; a function whose parameters do not end is a condition instead."""
    blanked = bytearray(data)
    for at, end, seen in _replaced(data, places):
        blanked[at:end] = seen
    return bytes(blanked)


def with_changes(tree: Tree, data: bytes, places: tuple[int, ...]) -> Tree:
    """The tree for the next parse, which is to look at these places again: one of both sees blanks there."""
    tree = tree.copy()
    for at, end, _ in _replaced(data, places):
        row, column = data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1
        after = Point(row, column + end - at)
        tree.edit(at, end, end, Point(row, column), after, after)
    return tree


def _replaced(data: bytes, places: tuple[int, ...]) -> list[tuple[int, int, bytes]]:
    """What the parser sees in the places of brackets that are open, and of what it cannot understand then.

    Without its bracket, ``def f:`` breaks the parse of what follows, which ``if f:`` does not.
    """
    replaced = []
    last_line = -1
    for at in places:
        replaced.append((at, at + 1, b" "))
        line = data.rfind(b"\n", 0, at) + 1
        if line != last_line:
            header = _HEADER.match(data, line)
            if header is not None and header.end("bracket") == at + 1:
                replaced.append((*header.span("def"), b"if "))
        last_line = line
    return replaced
