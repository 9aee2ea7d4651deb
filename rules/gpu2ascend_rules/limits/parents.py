"""A node's parent, which tree-sitter looks for from the root down, in time proportional to the node's depth.

While a file is examined each node is asked for its parent once, so that many who climb the same way, in code
that nests deeply, do not pay for each step of each climb.
"""

from __future__ import annotations

from threading import Lock

from tree_sitter import Node

_MOST = 50_000
"""Parents that are remembered; then they are asked for anew."""

_known: dict[Node, Node | None] = {}
"""Equal nodes are of one place in one tree, which they keep: another tree is never meant. A root has none."""
_examined = 0
"""Files that are being examined."""
_change = Lock()


def parent_of(node: Node | None) -> Node | None:
    """The parent of a node; none of the root, nor of none."""
    if node is None:
        return None
    try:
        return _known[node]
    except KeyError:
        found = node.parent
        if _examined:
            _known[node] = found
        return found


def parent_type(node: Node) -> str:
    """The type of a node's parent; nothing for the root, which has none."""
    parent = parent_of(node)
    return parent.type if parent is not None else ""


def begin_examination() -> None:
    """Another file is examined: parents are remembered."""
    global _examined
    with _change:
        _examined += 1
        if len(_known) > _MOST:
            _known.clear()


def end_examination() -> None:
    """A file is done; after the last one nothing is remembered, and no tree kept."""
    global _examined
    with _change:
        _examined -= 1
        if not _examined or len(_known) > _MOST:
            _known.clear()
