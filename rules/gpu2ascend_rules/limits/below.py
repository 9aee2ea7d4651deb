"""What lies below a node of a tree: the one way down, by which no tree costs more than the limits allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from tree_sitter import Node, Query, QueryCursor

from .checkpoints import MAX_NESTING, checkpoint
from .parsing import PYTHON


def nodes_in(root: Node, *closed: str) -> Iterator[Node]:
    """A node and all :func:`nodes_below` it."""
    yield root
    yield from nodes_below(root, *closed)


def nodes_below(root: Node, *closed: str) -> Iterator[Node]:
    """The named nodes below a node, each before its parts, in the order of the text.

    Of a node of one of the types ``closed`` the parts are left out; those of the root never are.
    """
    return nodes_through(root, lambda node: node.type not in closed)


def nodes_through(root: Node, enters: Callable[[Node], bool]) -> Iterator[Node]:
    """The nodes below a node, but for the parts of those that are not to be entered."""
    return (node for node, _ in with_parents(root, enters))


def nodes_of(root: Node, *types: str) -> Iterator[Node]:
    """The nodes of some types in a node, however deep and in no order: found by tree-sitter itself, in a
    third of the time of a walk."""
    for node in QueryCursor(_query(types)).captures(root).get("node", ()):
        checkpoint()
        yield node


@lru_cache(maxsize=16)
def _query(types: tuple[str, ...]) -> Query:
    query: Query = Query(PYTHON, f"[{' '.join(f'({kind})' for kind in types)}] @node")
    return query


def with_parents(root: Node, enters: Callable[[Node], bool]) -> Iterator[tuple[Node, Node]]:
    """The nodes below a node, each with its parent. What nests deeper than the limit is left out."""
    parents, levels = [root], [iter(root.named_children)]
    while levels:
        parent = parents[-1]
        for node in levels[-1]:
            checkpoint()
            yield node, parent
            if node.named_child_count and len(levels) < MAX_NESTING and enters(node):
                parents.append(node)
                levels.append(iter(node.named_children))
                break
        else:
            parents.pop()
            levels.pop()
