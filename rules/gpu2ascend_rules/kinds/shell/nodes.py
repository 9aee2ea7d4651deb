"""Looking things up in the tree of shell code."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.below import with_parents
from ...text.climbing import unfinished_over

_STRINGS = frozenset({"string", "raw_string", "ansi_c_string", "heredoc_body"})
_CLOSING = frozenset({"fi", "done", "esac", "}", ")"})


def text_of(node: Node) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def is_unread(node: Node) -> bool:
    """Whether a node is no shell code, or is opened and never closed.

    The grammar supplies a closing word that is missing, where a shell refuses the script.
    """
    if node.type == "ERROR":
        return True
    return node.has_error and any(child.is_missing and child.type in _CLOSING for child in node.children)


def descendants(root: Node) -> Iterator[tuple[Node, Node | None, bool]]:
    """Every named node in the order of the text, its parent, and whether it :func:`is_unread`.

    The walk ends at the limit of nesting. What is not understood is one node, whatever was made of its parts.
    """
    unread = is_unread(root)
    yield root, None, unread
    if unread:
        return
    closed: set[int] = set()
    for node, parent in with_parents(root, lambda node: node.id not in closed):
        unread = is_unread(node)
        if unread:
            closed.add(node.id)
        yield node, parent, unread


def string_over(root: Node, end: int) -> Node | None:
    """The outermost string, or text that is put in, that goes on over an offset."""
    return unfinished_over(root.descendant_for_byte_range(end, end + 1), end, _STRINGS)
