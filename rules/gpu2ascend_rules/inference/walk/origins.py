"""The expressions that a value may come from, within its file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from .reading import Reading, Walk, Way


class Origins(NamedTuple):
    """What may make a value, each once, in text order; a place where the walk stopped is one."""

    nodes: tuple[Node, ...] = ()


class OriginsReading(Reading[Origins]):
    """All that a name is given, through names and choices; what is called or read is not looked into."""

    unknown = Origins()
    pending = Origins()
    ways = frozenset({Way.DEFAULTS, Way.OPERANDS, Way.UNPACKING})
    guesses = True

    def joined(self, values: Iterator[Origins]) -> Origins:
        found: dict[int, Node] = {}
        nothing = self.unknown
        for value in values:
            found.update((node.id, node) for node in value.nodes)
            nothing = self.pending if value is self.pending else nothing
        in_order = sorted(found.values(), key=lambda node: (node.start_byte, node.end_byte))
        return Origins(tuple(in_order)) if found else nothing

    def dead_end(self, node: Node, walk: Walk[Origins]) -> Origins:
        return Origins((node,))
