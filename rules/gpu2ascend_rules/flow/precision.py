"""Where double precision comes from: the token that asks for it, and its single precision counterpart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..model.finding import Edit
from ..text.scopes import Binding, BindingKind
from ..text.syntax import arguments_of, field, text_of, without_parentheses

if TYPE_CHECKING:
    from ..engine.context import Context

MAX_DEPTH = 5
DTYPES = ("torch.float64", "torch.double")
_SINGLE = {"float64": "float32", "double": "float32", "DoubleTensor": "FloatTensor"}
_REDUCING = (
    "all_reduce", "reduce", "all_reduce_coalesced", "reduce_scatter", "reduce_scatter_tensor",
    "_reduce_scatter_base",
)  # fmt: skip
REDUCTIONS = (
    *(f"torch.distributed.{name}" for name in _REDUCING),
    *(f"torch.distributed.distributed_c10d.{name}" for name in _REDUCING),
    *(f"torch.distributed.nn.{name}" for name in ("all_reduce", "reduce", "reduce_scatter")),
    *(f"torch.distributed.nn.functional.{name}" for name in ("all_reduce", "reduce", "reduce_scatter")),
    "torch.distributed._functional_collectives.all_reduce",
)
"""What reduces a tensor across processes, by every name."""
_OTHER_DTYPES = frozenset({"float", "half", "bfloat16", "int", "long", "short", "byte", "bool", "char"})


class DoublePrecision(NamedTuple):
    """What makes a value one of double precision."""

    node: Node
    """The dtype, the method's name, or the constructor."""
    edit: Edit | None
    """The edit that asks for single precision instead; ``None`` when the name alone does not show how."""


def double_precision_of(expression: Node, ctx: Context) -> DoublePrecision | None:
    """What makes a tensor one of double precision, as far as the file shows."""
    return _of(expression, ctx, 0)


def _of(expression: Node, ctx: Context, depth: int) -> DoublePrecision | None:
    node = without_parentheses(expression)
    if depth > MAX_DEPTH:
        return None
    if node.type == "identifier":
        value = _last_value(node, ctx)
        return _of(value, ctx, depth + 1) if value is not None else None
    if node.type in ("list", "tuple", "binary_operator"):
        found = (_of(child, ctx, depth + 1) for child in node.named_children)
        return next((item for item in found if item is not None), None)
    return _of_call(node, ctx, depth) if node.type == "call" else None


def _of_call(call: Node, ctx: Context, depth: int) -> DoublePrecision | None:
    function = field(call, "function")
    if function is None:
        return None
    given = next(given_dtypes(call, ctx), None)
    if given is not None:
        return double_dtype(given)
    if function.type != "attribute":
        return None
    name = field(function, "attribute")
    receiver = field(function, "object")
    if name is None or receiver is None or text_of(name) in _OTHER_DTYPES:
        return None
    if text_of(name) == "double":
        return DoublePrecision(name, Edit(name.start_byte, name.end_byte, "float"))
    if text_of(name) == "DoubleTensor":
        return double_dtype(function)
    return _of(receiver, ctx, depth + 1)


def given_dtypes(call: Node, ctx: Context) -> Iterator[Node]:
    """The arguments of a call that are the dtype of double precision."""
    for item in arguments_of(call).items:
        if is_double_dtype(item.value, ctx):
            yield item.value


def is_double_dtype(expression: Node, ctx: Context) -> bool:
    """Whether an expression is ``torch.float64``, by any name."""
    if expression.type not in ("attribute", "identifier"):
        return False
    resolution = ctx.source.names.qualified_name(expression)
    return resolution is not None and resolution.qualified_name in DTYPES


def double_dtype(expression: Node) -> DoublePrecision:
    """``torch.float64`` or ``torch.DoubleTensor`` as it is written, with the edit to single precision."""
    name = field(expression, "attribute") if expression.type == "attribute" else None
    single = _SINGLE.get(text_of(name)) if name is not None else None
    edit = Edit(name.start_byte, name.end_byte, single) if name is not None and single is not None else None
    return DoublePrecision(expression, edit)


def _last_value(identifier: Node, ctx: Context) -> Node | None:
    """What was last assigned to a variable before it is read."""
    bindings = ctx.source.names.bindings_in_scope(text_of(identifier), identifier)
    before = [item for item in bindings if item.statement.end_byte <= identifier.start_byte]
    last: Binding | None = before[-1] if before else None
    return last.value if last is not None and last.kind is BindingKind.ASSIGNMENT else None
