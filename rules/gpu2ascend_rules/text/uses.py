"""The places that read one variable of a file."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from .source_file import SourceFile
from .syntax import same, text_of


def uses_of_variable(identifier: Node, source: SourceFile) -> Iterator[Node]:
    """Every identifier that reads the variable which an identifier binds or reads, but for itself."""
    names, name = source.names, text_of(identifier)
    bindings = names.bindings_in_scope(name, identifier)
    scope = bindings[0].scope if bindings else names.scope_of(identifier)
    for use in source.identifiers(name):
        if same(use, identifier) or not names.is_reference(use):
            continue
        visible = names.bindings_in_scope(name, use)
        if visible and visible[0].scope.id == scope.id:
            yield use
