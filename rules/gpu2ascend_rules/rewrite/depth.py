"""How deep an expression nests, measured before LibCST's recursive parser is let near it."""

from __future__ import annotations

from tree_sitter import Node

MAX_DEPTH = 80
"""LibCST's native parser overflows a small stack at a few hundred levels; this keeps well below."""


def is_deeper_than(node: Node, limit: int) -> bool:
    """Whether the tree below a node has more than ``limit`` levels."""
    cursor = node.walk()
    depth = 0
    while True:
        if depth > limit:
            return True
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if depth == 0 or not cursor.goto_parent():
                return False
            depth -= 1
            if depth == 0:
                return False
