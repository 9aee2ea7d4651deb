"""Which calls give a tensor the precision of an argument, and which may give it an unknown one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from ...inference.kinds import Kind
from ...text.syntax import arguments_of, field, last_name, text_of, without_parentheses
from ..words import is_device_name

if TYPE_CHECKING:
    from ...engine.context import Context

_METHODS = frozenset(
    {
        "to", "type", "view", "new_zeros", "new_ones", "new_empty", "new_full", "new_tensor", "sum", "nansum",
        "mean", "nanmean", "prod", "cumsum", "cumprod", "softmax", "log_softmax",
    }
)  # fmt: skip
"""Methods of tensors whose result has the dtype that they are given."""
_CONVERTS = frozenset({"type", "type_as", "astype"})
"""Methods that give their result whatever type their argument says."""
_KEEP = frozenset({Kind.DEVICE, Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.NONE})
"""What ``to`` takes to move a tensor, not to convert it."""


def takes_dtype(call: Node, ctx: Context) -> bool:
    """Whether a dtype that a call is given is that of its result: of a method of tensors, or by torch."""
    function = field(call, "function")
    if ctx.source.names.name_of(function).startswith(("torch.", "torch_npu.")):
        return True
    return function is not None and function.type == "attribute" and last_name(call) in _METHODS


def may_convert(call: Node, ctx: Context) -> bool:
    """Whether a method may give a tensor another type, which its arguments do not show."""
    name = last_name(call)
    if name != "to":
        return name in _CONVERTS
    arguments = arguments_of(call)
    given = arguments.at(0)
    is_moved = given is None or _moves(given.value, ctx)
    others = (item for item in arguments.positional if item.position)
    is_flag = all(ctx.kind(item.value) in (Kind.BOOLEAN, Kind.NONE) for item in others)
    named = any(arguments.keyword(key) is not None for key in ("dtype", "other"))
    return arguments.unpacked or named or not is_moved or not is_flag


def _moves(given: Node, ctx: Context) -> bool:
    """Whether what ``to`` is given is a device, by its kind or by what it is called."""
    value = without_parentheses(given)
    if ctx.kind(value) in _KEEP:
        return True
    name = field(value, "attribute") if value.type == "attribute" else value
    return name is not None and name.type == "identifier" and is_device_name(text_of(name))
