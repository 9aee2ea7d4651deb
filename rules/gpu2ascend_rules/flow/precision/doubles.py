"""Where double precision comes from: the token that asks for it, and its single precision counterpart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...inference.walk.reading import Reading, Walk, Way
from ...inference.walk.walker import Walker
from ...model.finding import Edit
from ...text.syntax import arguments_of, field, text_of
from .arrays import KEEPERS, ArrayPrecision, array_precision

if TYPE_CHECKING:
    from ...engine.context import Context
    from ...text.source_file import SourceFile
from typing import TYPE_CHECKING

from ...inference.kinds import Kind
from ...text.syntax import last_name, without_parentheses
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
_OTHER_DTYPES = frozenset(
    {
        "float", "half", "bfloat16", "int", "long", "short", "byte", "bool", "char", "float16", "float32",
        "int8", "int16", "int32", "int64", "uint8",
    }
)  # fmt: skip
_PARTS = frozenset({"list", "tuple", "binary_operator"})
_FOLLOWED = frozenset({"call", "identifier", "attribute", "binary_operator", "subscript"})
"""What may be an array; of a list of numbers torch makes a tensor of its own precision."""
_GIVES_OTHER = frozenset(
    {
        "argmax", "argmin", "argsort", "nonzero", "count_nonzero", "any", "all", "size", "numel", "dim",
        "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "item", "tolist", "logical_not",
    }
)  # fmt: skip
"""Methods whose results have another type, whatever the tensor has."""


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


class DoublePrecision(NamedTuple):
    """What makes a value one of double precision."""

    node: Node
    """The dtype, the method's name, or the constructor."""
    edit: Edit | None
    """The edit that asks for single precision instead; ``None`` when the name alone does not show how."""


def double_precision_of(expression: Node, ctx: Context) -> DoublePrecision | None:
    """What makes a tensor one of double precision, as far as the file shows."""
    walker = ctx.once("double precision", lambda: Walker(ctx.source, _Doubles(ctx), ctx.instances.classes))
    return walker.of(expression).source


class _Double(NamedTuple):
    """What asks for double precision; nothing for a value of another precision, or of an unknown one."""

    source: DoublePrecision | None = None


_OTHER = _Double()
"""A value of another precision, or of one that a conversion does not show."""


class _Doubles(Reading[_Double]):
    """What asks for the double precision of a value: all that it may be must be of double precision."""

    unknown = _Double()
    pending = _Double()
    ways = frozenset({Way.LATEST})

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def joined(self, values: Iterator[_Double]) -> _Double:
        found = [value for value in values if value is not self.pending]
        return found[0] if found and all(value.source is not None for value in found) else self.unknown

    def settled(self, node: Node, walk: Walk[_Double], depth: int) -> _Double | None:
        if node.type in _PARTS:
            parts = (walk.of(child, depth) for child in node.named_children)
            return next((part for part in parts if part.source is not None), self.unknown)
        if node.type != "call":
            return None
        found = _asked_by(node, self._ctx) or self._of_array(node, walk, depth)
        return _OTHER if found is None and may_convert(node, self._ctx) else found

    def _of_array(self, call: Node, walk: Walk[_Double], depth: int) -> _Double | None:
        """What NumPy makes, and a tensor that is made of it: ``torch.from_numpy(np.zeros(3))``."""
        precision = array_precision(call, walk.source)
        if precision is not None:
            return _Double(DoublePrecision(call, None)) if precision is ArrayPrecision.DOUBLE else _OTHER
        given = arguments_of(call).at(0)
        if given is None or walk.source.names.called_in(call) not in KEEPERS:
            return None
        if given.value.type not in _FOLLOWED or walk.of(given.value, depth).source is None:
            return None
        return _Double(DoublePrecision(call, Edit(call.end_byte, call.end_byte, ".float()")))

    def method(self, receiver: Node, name: str, walk: Walk[_Double], depth: int) -> _Double | None:
        return walk.of(receiver, depth) if name not in _GIVES_OTHER else None


def _asked_by(call: Node, ctx: Context) -> _Double | None:
    """The precision that a call gives its result; None where it leaves it as it was."""
    source = ctx.source
    given = next(_given_dtypes(call, source), None)
    if given is not None:
        asks = _last_part(given, source) in _SINGLE and takes_dtype(call, ctx)
        return _Double(double_dtype(given)) if asks else _OTHER
    function = field(call, "function")
    name = field(function, "attribute") if function is not None and function.type == "attribute" else None
    if name is None or function is None:
        return None
    if text_of(name) == "double":
        return _Double(DoublePrecision(name, Edit(name.start_byte, name.end_byte, "float")))
    if text_of(name) == "DoubleTensor":
        return _Double(double_dtype(function))
    return _OTHER if text_of(name) in _OTHER_DTYPES else None


def _given_dtypes(call: Node, source: SourceFile) -> Iterator[Node]:
    """The arguments of a call that are a dtype of torch."""
    for item in arguments_of(call).items:
        if _last_part(item.value, source):
            yield item.value


def _last_part(expression: Node, source: SourceFile) -> str:
    """``float64`` for a dtype of torch by any name; nothing for any other expression."""
    if expression.type not in ("attribute", "identifier"):
        return ""
    module, _, last = source.names.name_of(expression).rpartition(".")
    return last if module == "torch" and (last in _SINGLE or last in _OTHER_DTYPES) else ""


def double_dtype(expression: Node) -> DoublePrecision:
    """``torch.float64`` or ``torch.DoubleTensor`` as it is written, with the edit to single precision."""
    name = field(expression, "attribute") if expression.type == "attribute" else None
    single = _SINGLE.get(text_of(name)) if name is not None else None
    edit = Edit(name.start_byte, name.end_byte, single) if name is not None and single is not None else None
    return DoublePrecision(expression, edit)
