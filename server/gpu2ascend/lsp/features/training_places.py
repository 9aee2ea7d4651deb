"""Where in a script the refactorings of its training are in a menu that nobody opened for them.

Editors ask for the actions of every place that the cursor comes to. What is offered for a whole script
belongs to the loop that trains and to the line that starts it; on a comment or an import it is noise.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.text.source_file import SourceFile

_LOOPS = ("for_statement", "while_statement")
_STEP = b".backward("


def is_in_training(source: SourceFile, start: int, end: int) -> bool:
    """Whether a place is code of a loop that trains, or the line that starts the script.

    Args:
        start: Offset in bytes.
        end: Offset in bytes, at least ``start``.
    """
    first, last = _line(source.data, start, end)
    node = source.node_at(first, last - 1) if first < last else None
    if node is None or source.comment_at(start, end) is not None:
        return False
    return any(
        (item.type in _LOOPS and _STEP in source.data[item.start_byte : item.end_byte])
        or (item.start_byte == first and _is_main_guard(source, item))
        for item in _upwards(node)
    )


def _upwards(node: Node) -> Iterator[Node]:
    at: Node | None = node
    while at is not None:
        yield at
        at = at.parent


def _line(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The span of a place's lines without the blanks around them: the column does not matter."""
    first = data.rfind(b"\n", 0, start) + 1
    last = data.find(b"\n", end)
    text = data[first : last if last >= 0 else len(data)]
    return first + len(text) - len(text.lstrip()), first + len(text.rstrip())


def _is_main_guard(source: SourceFile, node: Node) -> bool:
    condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
    if condition is None:
        return False
    text = source.data[condition.start_byte : condition.end_byte]
    return b"__name__" in text and b"__main__" in text
