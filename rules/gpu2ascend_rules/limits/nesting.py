"""Where a syntax tree is too deep to be looked at; the rest of the file is examined as usual."""

from __future__ import annotations

from tree_sitter import Node

Span = tuple[int, int]
"""The byte offsets of a part of a text."""


def deep_parts(root: Node, limit: int) -> tuple[Span, ...]:
    """The parts of a tree that lie more than ``limit`` levels below its root, in text order.

    Only what has more than ``limit`` descendants is entered, which in code that people write is little.
    """
    found: list[Span] = []
    pending = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        if depth == limit:
            found.append((node.start_byte, node.end_byte))
        elif depth + node.descendant_count > limit:
            pending.extend((child, depth + 1) for child in reversed(node.children))
    return tuple(found)
