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
    """The text with blanks at some places."""
    blanked = bytearray(data)
    for at in places:
        blanked[at : at + 1] = b" "
    return bytes(blanked)


def with_changes(tree: Tree, data: bytes, places: tuple[int, ...]) -> Tree:
    """The tree for the next parse, which is to look at these places again: one of both sees blanks there."""
    tree = tree.copy()
    for at in places:
        row, column = data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1
        tree.edit(at, at + 1, at + 1, Point(row, column), Point(row, column + 1), Point(row, column + 1))
    return tree
