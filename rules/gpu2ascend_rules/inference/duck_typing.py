"""Uses of a value that no tensor has, and checks that it is one: evidence for and against what it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.syntax import (
    ancestors,
    call_of,
    field,
    is_field,
    parts_of,
    passed_to,
    same,
    text_of,
    without_parentheses,
)
from ..text.uses import uses_of_variable
from .classes.torch_classes import tensor_members

if TYPE_CHECKING:
    from ..text.source_file import SourceFile


_OF_OTHERS = ("isinstance", "callable", "hasattr", "dict")
"""Functions to which nobody gives what can only be a tensor."""


def use_of_no_tensor(variable: Node, source: SourceFile) -> Node | None:
    """The first use of a variable that speaks against its value being a tensor."""
    return next((use for use in uses_of_variable(variable, source) if not fits_tensor(use)), None)


def fits_tensor(identifier: Node) -> bool:
    """Whether a use of a variable is one that a tensor may have."""
    parent = parent_of(identifier)
    if parent is None:
        return True
    if parent.type == "attribute" and is_field(identifier, "object"):
        member = field(parent, "attribute")
        call = call_of(parent)
        is_array = call is not None and _is_taken_for_array(call)
        return member is not None and text_of(member) in tensor_members() and not is_array
    if parent.type == "dictionary_splat" or (parent.type == "call" and is_field(identifier, "function")):
        return False
    if parent.type == "subscript" and is_field(identifier, "value"):
        index = field(parent, "subscript")
        return index is None or index.type not in ("string", "concatenated_string")
    return _may_be_passed(identifier)


def _may_be_passed(identifier: Node) -> bool:
    """Whether a call may get a tensor as its first argument, if it gets the variable so."""
    passed = passed_to(identifier)
    if passed is None or passed.argument.position != 0:
        return True
    function = field(passed.call, "function")
    is_other = text_of(function) in _OF_OTHERS
    return not is_other and not _is_taken_for_array(identifier)


def _is_taken_for_array(expression: Node) -> bool:
    """Whether an expression is what ``torch.from_numpy`` makes a tensor of."""
    passed = passed_to(expression)
    function = field(passed.call, "function") if passed is not None else None
    return function is not None and text_of(function).endswith("from_numpy")


def tensor_check(node: Node, receiver: Node) -> Node | None:
    """The statement or expression in which a node is reached only where a receiver is a tensor."""
    inner = node
    for parent in ancestors(node):
        if _makes_sure(parent, inner, receiver):
            return parent
        inner = parent
    return None


def _makes_sure(parent: Node, inner: Node, receiver: Node) -> bool:
    """Whether ``inner`` is reached only where the check beside it, in the same parent, holds."""
    if parent.type == "boolean_operator":
        left = field(parent, "left")
        return _is_and(parent) and is_field(inner, "right") and left is not None and _holds(left, receiver)
    if parent.type in ("if_statement", "elif_clause") and is_field(inner, "consequence"):
        condition = field(parent, "condition")
        return condition is not None and _holds(condition, receiver)
    if parent.type == "conditional_expression":
        value, condition, *_ = parts_of(parent)
        return same(value, inner) and _holds(condition, receiver)
    return False


def _holds(condition: Node, receiver: Node) -> bool:
    """Whether a condition is true only where the receiver is a tensor."""
    condition = without_parentheses(condition)
    if condition.type == "boolean_operator":
        sides = (field(condition, "left"), field(condition, "right"))
        return _is_and(condition) and any(side is not None and _holds(side, receiver) for side in sides)
    return condition.type == "call" and _checks(text_of(condition), text_of(receiver))


def _checks(call: str, receiver: str) -> bool:
    if not call.startswith("isinstance(") and "is_tensor(" not in call:
        return False  # most calls; to compile an expression takes longer than all else
    name = re.escape(receiver)
    check = rf"isinstance\(\s*{name}\s*,\s*(\w+\.)*Tensor\s*\)|(\w+\.)*is_tensor\(\s*{name}\s*\)"
    return re.fullmatch(check, call) is not None


def _is_and(operator: Node) -> bool:
    sign = field(operator, "operator")
    return sign is not None and sign.type == "and"
