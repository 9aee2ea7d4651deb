"""The places that read one variable of a file."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from .source_file import SourceFile
from .syntax import same, text_of


def uses_of_variable(identifier: Node, source: SourceFile) -> Iterator[Node]:
    """Every identifier that reads the variable which an identifier binds or reads, but for itself."""
    scope = scope_of_variable(identifier, source)
    for use in source.names.readers(text_of(identifier), scope):
        if not same(use, identifier):
            yield use


def scope_of_variable(identifier: Node, source: SourceFile) -> Node:
    """The scope of the variable which an identifier binds or reads."""
    bindings = source.names.bindings_in_scope(text_of(identifier), identifier)
    return bindings[0].scope if bindings else source.names.scope_of(identifier)
