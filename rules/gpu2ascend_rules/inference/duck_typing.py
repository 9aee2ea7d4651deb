"""The use of a value that no tensor has: evidence against what a value is by convention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from ..text.syntax import field, is_field, passed_to, text_of
from ..text.uses import uses_of_variable
from .torch_classes import tensor_members

if TYPE_CHECKING:
    from ..text.source_file import SourceFile


_OF_OTHERS = ("isinstance", "callable", "hasattr", "dict")
"""Functions to which nobody gives what can only be a tensor."""


def use_of_no_tensor(variable: Node, source: SourceFile) -> Node | None:
    """The first use of a variable that speaks against its value being a tensor."""
    return next((use for use in uses_of_variable(variable, source) if not fits_tensor(use)), None)


def fits_tensor(identifier: Node) -> bool:
    """Whether a use of a variable is one that a tensor may have."""
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
