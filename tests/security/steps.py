"""How much work something makes, in steps that no clock and no other process changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from tree_sitter import Node

_ONE = ("parent", "next_sibling", "next_named_sibling", "prev_sibling", "prev_named_sibling")
"""What leads from a node to another one."""
_MANY = ("children", "named_children")


def steps(work: Callable[[], object]) -> int:
    """The calls of functions of Python and of C that some work makes, and the nodes that it comes to.

    A loop that climbs from node to node makes no call, so that calls alone would not show it.
    """
    count = 0

    def note(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal count
        count += 1

    def visit(nodes: list[Node]) -> list[Node]:
        nonlocal count
        count += len(nodes)
        return nodes

    with pytest.MonkeyPatch.context() as patch:
        for name in _ONE:
            patch.setattr(Node, name, _called(name))
        for name in _MANY:
            patch.setattr(Node, name, _called(name, visit))
        sys.setprofile(note)
        try:
            work()
        finally:
            sys.setprofile(None)
    return count


def _called(name: str, visit: Callable[[list[Node]], list[Node]] | None = None) -> property:
    """An attribute of a node that is read by a call of a function, so that the call is counted."""
    read = Node.__dict__[name].__get__
    return property(lambda node: read(node)) if visit is None else property(lambda node: visit(read(node)))
