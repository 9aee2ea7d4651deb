"""What a file may give to a class of torch that it calls under another name."""

from __future__ import annotations

from tree_sitter import Node

from ....limits.below import nodes_in
from ....text.scopes import BindingKind
from ....text.syntax import arguments_of, field, text_of
from ..evidence import ROOTS, Evidence
from .layers import Layers


class Handing:
    """The arguments of calls that may be of a class under another name."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._layers = Layers(evidence)
        found: list[str] = []
        self._by_position: set[str] = set()
        for node in nodes_in(evidence.source.root):
            if node.type == "call":
                self._look_at(node, found)
            elif node.type == "string":
                found.append(text_of(node))
        self.words = " ".join(found).encode()
        """The keywords of those calls, and all that the file writes as text: keys of dictionaries."""

    def is_given_by_position(self, api: str) -> bool:
        """Whether a class is called under another name with more than its first argument by position."""
        return api in self._by_position

    def _look_at(self, call: Node, words: list[str]) -> None:
        function = field(call, "function")
        if function is None or self._is_of_torch(function):
            return
        arguments = arguments_of(call)
        words += [one.keyword for one in arguments.items if one.keyword is not None]
        if sum(one.keyword is None for one in arguments.items) > 1 or arguments.unpacked:
            self._by_position.update(self._layers.classes(function))

    def _is_of_torch(self, function: Node) -> bool:
        resolution = self._evidence.source.names.qualified_name(function)
        if resolution is None or resolution.qualified_name.partition(".")[0] not in ROOTS:
            return False
        return resolution.binding is None or resolution.binding.kind is BindingKind.IMPORT
