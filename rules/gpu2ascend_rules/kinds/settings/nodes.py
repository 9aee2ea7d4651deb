"""Looking things up in the trees of configurations."""

from __future__ import annotations

from tree_sitter import Node

from ...limits.checkpoints import MAX_NESTING, checkpoint
from ...limits.parents import parent_of


def text_of(node: Node) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def has_error(node: Node) -> bool:
    """Whether something below a node could not be parsed."""
    return node.has_error or node.is_error or node.is_missing


def comment_over(root: Node, start: int, end: int) -> str | None:
    """The comment that holds a span."""
    checkpoint()
    node = root.descendant_for_byte_range(start, end)
    return text_of(node) if node is not None and node.type == "comment" else None


def unfinished_over(root: Node, end: int, types: frozenset[str]) -> Node | None:
    """The outermost text of one of the types that goes on over an offset."""
    found = None
    node = root.descendant_for_byte_range(end, end + 1)
    for _ in range(MAX_NESTING):
        if node is None:
            break
        if node.type in types and node.start_byte < end < node.end_byte:
            found = node
        node = parent_of(node)
    return found
