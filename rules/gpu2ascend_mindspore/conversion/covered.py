"""Nodes that one part of the conversion changes, so that no other looks at them."""

from __future__ import annotations

import sys
from bisect import bisect_right

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import ancestors


class Covered:
    """Nodes of which a part is asked for: only what lies in one by its place is climbed from."""

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self._left_out: set[int] = set()
        self._spans: list[tuple[int, int]] = []
        """Of the outermost, in text order."""

    def add(self, node: Node, but: Node | None) -> None:
        """A further node, without one part of it."""
        self._ids.add(node.id)
        if but is not None:
            self._left_out.add(but.id)
        start, end = node.start_byte, node.end_byte
        index = bisect_right(self._spans, (start, end))
        if index and end <= self._spans[index - 1][1]:
            return
        last = index
        while last < len(self._spans) and self._spans[last][1] <= end:
            last += 1
        first = index - 1 if index and self._spans[index - 1][0] == start else index
        self._spans[first:last] = [(start, end)]

    def __contains__(self, node: Node) -> bool:
        """Whether a node is one of them, or in one."""
        index = bisect_right(self._spans, (node.start_byte, sys.maxsize))
        if not index or node.end_byte > self._spans[index - 1][1]:
            return False
        for one in (node, *ancestors(node)):
            if one.id in self._ids:
                return True
            if one.id in self._left_out:
                return False
        return False
