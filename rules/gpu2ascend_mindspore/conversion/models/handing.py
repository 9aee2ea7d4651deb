"""What a file may give to a class of torch that it calls under another name."""

from __future__ import annotations

from collections import Counter

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import arguments_of, field, text_of

from ..evidence import ROOTS, Evidence
from .handed_classes import HandedClasses
from .layers import Layers

_MANY = 99
"""Stands for a number of positions that is not known."""


class Handing:
    """The arguments of calls that may be of a class under another name."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._layers = Layers(evidence)
        found: list[str] = []
        self._positions: Counter[str] = Counter()
        self._handed: HandedClasses | None = None
        for node in nodes_in(evidence.source.root):
            if node.type == "call":
                self._look_at(node, found)
            elif node.type == "string":
                found.append(text_of(node))
        self.words = " ".join(found).encode()
        """The keywords of those calls, and all that the file writes as text: keys of dictionaries."""

    def positions(self, api: str) -> int:
        """How many arguments a class is given by position, at most, where it has another name."""
        return self._positions[api]

    def is_called_without_positions(self, node: Node) -> bool:
        """Whether a class that stands at a place is called, if at all, without arguments by position."""
        self._handed = self._handed or HandedClasses(self._evidence.source)
        return self._handed.is_called_without_positions(node)

    def _look_at(self, call: Node, words: list[str]) -> None:
        function = field(call, "function")
        if function is None or self._is_of_torch(function):
            return
        arguments = arguments_of(call)
        words += [one.keyword for one in arguments.items if one.keyword is not None]
        count = _MANY if arguments.unpacked else len(arguments.positional)
        if count:
            for name in self._layers.classes(function):
                self._positions[name] = max(self._positions[name], count)

    def _is_of_torch(self, function: Node) -> bool:
        resolution = self._evidence.source.names.qualified_name(function)
        if resolution is None or resolution.qualified_name.partition(".")[0] not in ROOTS:
            return False
        return resolution.binding is None or resolution.binding.kind is BindingKind.IMPORT
