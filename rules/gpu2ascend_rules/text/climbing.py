"""The ancestors of many nodes of a tree: each node on the way is climbed once, however many ask."""

from __future__ import annotations

from collections.abc import Collection

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from .syntax import ancestors


class Enclosing:
    """The nearest ancestors of some types, for many nodes of a tree: each node on the way is climbed once.

    For nodes that nest in each other the steps grow with their number, not with its square.
    """

    def __init__(self, *types: str, suffixes: tuple[str, ...] = ()) -> None:
        self._types = frozenset(types)
        self._suffixes = suffixes
        self._known: dict[int, tuple[Node, Node] | None] = {}

    def of(self, node: Node) -> Node | None:
        """The nearest ancestor of one of the types."""
        found = self.on_the_way(node)
        return found[1] if found is not None else None

    def on_the_way(self, node: Node) -> tuple[Node, Node] | None:
        """The nearest ancestor behind its child in which the node lies, or which the node is."""
        known, key = self._known, node.id
        if key in known:
            return known[key]
        passed: list[int] = []
        child, found = node, None
        while key not in known:
            checkpoint()
            passed.append(key)
            parent = parent_of(child)
            if parent is None:
                break
            kind = parent.type
            if kind in self._types or kind.endswith(self._suffixes):
                found = child, parent
                break
            child, key = parent, parent.id
        else:
            found = known[key]
        for key in passed:
            known[key] = found
        return found


class Outermost:
    """What nodes are parts of, through parents of some types alone, each passed once."""

    def __init__(self, *types: str) -> None:
        self._types = frozenset(types)
        self._known: dict[int, Node] = {}

    def of(self, node: Node) -> Node:
        """The outermost node, the node itself where its parent is of none of the types."""
        passed: list[int] = []
        while node.id not in self._known:
            checkpoint()
            passed.append(node.id)
            parent = parent_of(node)
            if parent is None or parent.type not in self._types:
                self._known[node.id] = node
                break
            node = parent
        found = self._known[node.id]
        self._known.update(dict.fromkeys(passed, found))
        return found


def unfinished_over(node: Node | None, end: int, types: Collection[str]) -> Node | None:
    """The outermost node around one, of some types, that goes on over an offset: a string over a line end."""
    around = (node, *ancestors(node)) if node is not None else ()
    found = [one for one in around if one.type in types and one.start_byte < end < one.end_byte]
    return found[-1] if found else None
