"""Brackets that nothing closes: while somebody types, nearly every line has one for a moment.

With such a bracket in the text the parser looks through all that follows for its end, at each key, and takes
what it passes for arguments. It is let go on as if the bracket were not there: the line is as broken as it is
either way, and the rest of the file is what it was.
"""

from __future__ import annotations

import re

from tree_sitter import Point, Tree

_MOST = 2_000_000
"""Bytes of a text beyond which it is parsed as it stands."""
_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
_TOKEN = re.compile(
    rb"#[^\n]*"
    rb"|\"{3}(?:[^\\\"]|\\.|\"(?!\"\"))*(?P<long>\"{3})?|'{3}(?:[^\\']|\\.|'(?!''))*(?P<other_long>'{3})?"
    rb"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    rb"|(?P<opens>[(\[{])|(?P<closes>[)\]}])|\n(?P<indentation>[ \t\f]*)(?=[^\s#])",
    re.DOTALL,
)
_HEADER = re.compile(rb"[ \t]*(?P<def>def)[ \t]+\w+[ \t]*(?P<bracket>\()[^\n]*:[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
"""A whole line of a function's head, as far as its colon."""


def open_brackets(data: bytes) -> tuple[int, ...]:
    """The brackets of a text that nothing closes; none where each has its end, wherever that stands.

    A line that begins no further right than that of a bracket is no longer within it, unless it begins with a
    closing one: people break lines otherwise, too, but they close what they open.
    """
    if len(data) > _MOST or all(data.count(opens) == data.count(closes) for closes, opens in _PAIRS.items()):
        return ()
    open_ends: list[bytes] = []  # of the whole text, whatever its lines look like
    found: list[int] = []
    opened: list[tuple[int, int]] = []  # each bracket with the indentation of its line
    indentation, is_sound = 0, True
    for token in _TOKEN.finditer(data):
        kind = token.lastgroup
        if kind == "indentation":
            indentation = token.end() - token.start() - 1
            if data[token.end() : token.end() + 1] not in _PAIRS:
                while opened and indentation <= opened[-1][1]:
                    found.append(opened.pop()[0])
        elif kind == "opens":
            opened.append((token.start(), indentation))
            open_ends.append(token[0])
        elif kind == "closes":
            opens = _PAIRS[token[0]]
            is_sound = is_sound and bool(open_ends) and open_ends.pop() == opens
            if opened and data[opened[-1][0] : opened[-1][0] + 1] == opens:
                opened.pop()
        elif kind is None and token[0].startswith((b'"""', b"'''")):
            break  # a string without an end
    found += (at for at, _ in opened)
    return () if is_sound and not open_ends else tuple(sorted(found))


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
