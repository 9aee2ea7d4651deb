"""Brackets that have just been opened and are not closed yet.

With such a bracket in the text the parser looks through all that follows for its end, at each key, and takes
what it passes for arguments. It is let go on as if the bracket were not there: the line is as broken as it is
either way, and the rest of the file is what it was.
"""

from __future__ import annotations

import re

from tree_sitter import Node, Point, Tree

_LONGEST = 2_000
"""Bytes that are read to find them; a larger change is parsed as it stands."""
_TOKEN = re.compile(
    rb"#[^\n]*"
    rb"|\"{3}(?:[^\\\"]|\\.|\"(?!\"\"))*(?P<long>\"{3})?|'{3}(?:[^\\']|\\.|'(?!''))*(?P<other_long>'{3})?"
    rb"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
    rb"|(?P<opens>[(\[{])|(?P<closes>[)\]}])",
    re.DOTALL,
)


def open_brackets(data: bytes, old_tree: Tree) -> tuple[int, ...]:
    """Where brackets stand in the lines that were changed which nothing closes, there or in lines that go on
    with them, being indented further or beginning with a closing one.

    Brackets that were closed further down, when the old tree was made, are none of them.

    Args:
        data: The text.
        old_tree: The edited tree of the version before.
    """
    root = old_tree.root_node
    if not root.has_changes:
        return ()
    first, last = _changed(root)
    start, end = data.rfind(b"\n", 0, first) + 1, _line_end(data, last)
    if end - start > _LONGEST or _is_in_string(root, start):
        return ()
    opened = [at for at in _opened(data, start, end) if not _closes_behind(root, at, end)]
    if not opened:
        return ()
    behind = _end_of_lines_that_go_on(data, opened[0], end)
    unclosed = _opened(data, start, behind) if behind is not None else ()
    return tuple(at for at in opened if at in unclosed)


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _end_of_lines_that_go_on(data: bytes, bracket: int, end: int) -> int | None:
    """The end of the lines behind a part that may go on with a bracket; None where that is too far."""
    line = data.rfind(b"\n", 0, bracket) + 1
    indentation = _indentation(data[line:bracket])
    most = end + _LONGEST
    while end < min(most, len(data)):
        following = data[end + 1 : _line_end(data, end + 1)]
        content = following.strip()
        goes_on = not content or content[:1] in b")]}" or _indentation(following) > indentation
        if not goes_on:
            return end
        end = min(len(data), end + 1 + len(following))
    return end if end < most else None


def _indentation(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t\f"))


def without(data: bytes, places: tuple[int, ...]) -> bytes:
    """The text with blanks at some places."""
    blanked = bytearray(data)
    for at in places:
        blanked[at : at + 1] = b" "
    return bytes(blanked)


def with_changes(tree: Tree, data: bytes, places: tuple[int, ...]) -> Tree:
    """The tree for the next parse, which is to look at these places again: there were blanks for this one."""
    tree = tree.copy()
    for at in places:
        row, column = data.count(b"\n", 0, at), at - data.rfind(b"\n", 0, at) - 1
        tree.edit(at, at + 1, at + 1, Point(row, column), Point(row, column + 1), Point(row, column + 1))
    return tree


def _changed(root: Node) -> tuple[int, int]:
    """From the end of what is before the first changed node to the end of the last, as far as nodes show."""
    start, node = 0, root
    while changed := [index for index, child in enumerate(node.children) if child.has_changes]:
        start = node.children[changed[0] - 1].end_byte if changed[0] else start
        node = node.children[changed[0]]
    last = root
    while changed_nodes := [child for child in last.children if child.has_changes]:
        last = changed_nodes[-1]
    end = last.end_byte if last != root else start
    return min(start, end), end


def _is_in_string(root: Node, at: int) -> bool:
    """Whether a place lay within a string."""
    node: Node | None = root.descendant_for_byte_range(at, at)
    while node is not None:
        if node.type == "string" and node.start_byte < at < node.end_byte:
            return True
        node = node.parent
    return False


def _opened(data: bytes, start: int, end: int) -> list[int]:
    """The brackets of a part of the text that nothing in it closes; none where a string goes on behind it."""
    opened: list[int] = []
    for token in _TOKEN.finditer(data, start, end):
        if token["opens"]:
            opened.append(token.start())
        elif token["closes"] and opened:
            opened.pop()
        elif token[0].startswith((b'"""', b"'''")) and not (token["long"] or token["other_long"]):
            return []
    return opened


def _closes_behind(root: Node, at: int, end: int) -> bool:
    """Whether the old tree has the bracket at a place, and its end behind the part that was changed."""
    bracket = root.descendant_for_byte_range(at, at + 1)
    holder = bracket.parent if bracket is not None and bracket.type in ("(", "[", "{") else None
    if holder is None or holder.type == "ERROR" or holder.end_byte <= end:
        return False
    last = holder.children[-1]
    return last.type in (")", "]", "}") and not last.is_missing
