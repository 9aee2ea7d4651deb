"""Whether all that a function does with a value can be done with a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from ..text.syntax import field, is_field, passed_to, text_of
from .torch_classes import tensor_members

if TYPE_CHECKING:
    from ..text.source_file import SourceFile


_OF_OTHERS = ("isinstance", "callable", "hasattr", "dict")
"""Functions to which nobody gives what can only be a tensor."""


def is_used_as_tensor(source: SourceFile, name: str, scope: Node) -> bool:
    """Whether no use of a name inside a scope speaks against its value being a tensor."""
    return all(
        _fits(identifier)
        for identifier in source.identifiers(name)
        if scope.start_byte <= identifier.start_byte < scope.end_byte
        and source.names.is_reference(identifier)
    )


def _fits(identifier: Node) -> bool:
    parent = identifier.parent
    if parent is None:
        return True
    if parent.type == "attribute" and is_field(identifier, "object"):
        member = field(parent, "attribute")
        return member is not None and text_of(member) in tensor_members()
    if parent.type == "call" and is_field(identifier, "function"):
        return False
    if parent.type == "dictionary_splat":
        return False
    if parent.type == "subscript" and is_field(identifier, "value"):
        index = field(parent, "subscript")
        return index is None or index.type not in ("string", "concatenated_string")
    passed = passed_to(identifier)
    if passed is not None and passed.argument.position == 0:
        function = field(passed.call, "function")
        return function is None or text_of(function) not in _OF_OTHERS
    return True
