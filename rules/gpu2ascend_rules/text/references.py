"""The places that read a variable, apart from those that bind its name or only spell it."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from .parsed_text import ParsedText
from .scopes import Binding, Scopes, binding_of


class References:
    """The references of one file, by name."""

    def __init__(self, source: ParsedText, scopes: Scopes) -> None:
        self._source = source
        self._scopes = scopes
        self._bare: dict[str, list[tuple[Node, Binding | None]]] = {}
        self._found: dict[str, tuple[Node, ...]] = {}

    def bare(self, name: str) -> list[tuple[Node, Binding | None]]:
        """The places of a name that may bind it, each with its binding if it does."""
        known = self._bare.get(name)
        if known is None:
            known = self._bare[name] = []
            for node in self._source.bare_identifiers(name):
                checkpoint()
                known.append((node, binding_of(node, self._scopes)))
        return known

    def of(self, name: str) -> tuple[Node, ...]:
        """Every identifier of a name that reads a variable, in text order."""
        if name not in self._found:
            self._found[name] = tuple(self._reading(name, self._source.identifiers(name)))
        return self._found[name]

    def is_one(self, identifier: Node) -> bool:
        """Whether an identifier node reads a variable."""
        return _is_read(identifier) and binding_of(identifier, self._scopes) is None

    def _reading(self, name: str, nodes: Iterable[Node]) -> list[Node]:
        bound = {node.start_byte for node, binding in self.bare(name) if binding is not None}
        return [node for node in nodes if node.start_byte not in bound and _is_read(node)]


def _is_read(node: Node) -> bool:
    """Whether an identifier that binds nothing reads a variable."""
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type == "attribute":
        return parent.start_byte == node.start_byte  # the object, not the attribute's name
    if parent.type == "keyword_argument":
        value = parent.child_by_field_name("value")
        return value is not None and value.id == node.id
    return parent.type != "dotted_name"
