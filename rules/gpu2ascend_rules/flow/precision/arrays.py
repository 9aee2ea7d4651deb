"""The precision of NumPy's arrays, which a tensor of them keeps: float64 where nobody asks for another."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...text.syntax import Argument, arguments_of, last_name, text_of
from ..templates import plain_text

if TYPE_CHECKING:
    from ...text.source_file import SourceFile

KEEPERS = frozenset({"torch.from_numpy", "torch.tensor", "torch.as_tensor", "torch.asarray"})
"""What makes a tensor of an array, in the array's precision."""
_MAKES_DOUBLES = frozenset(
    {
        "zeros", "ones", "empty", "eye", "identity", "linspace", "logspace", "geomspace", "random.rand",
        "random.randn", "random.random", "random.random_sample", "random.normal", "random.uniform",
        "random.standard_normal", "random.beta", "random.gamma", "random.exponential", "random.laplace",
        "hanning", "hamming", "blackman", "float64", "double",
    }
)  # fmt: skip
"""Functions below ``numpy`` whose arrays are of float64 where no type is given."""
_MAKES_AS_GIVEN = frozenset({"array", "asarray", "full", "arange"})
"""The same where a number with a point is given."""
_DOUBLE = frozenset({"float64", "double", "float", "float_", "d", "f8"})
_TYPE_POSITION = {
    "zeros": 1, "ones": 1, "empty": 1, "array": 1, "asarray": 1, "full": 2, "identity": 1, "astype": 0,
}  # fmt: skip


class ArrayPrecision(enum.Enum):
    """What a call gives an array."""

    DOUBLE = enum.auto()
    OTHER = enum.auto()


def array_precision(call: Node, source: SourceFile) -> ArrayPrecision | None:
    """The precision of the array that a call makes; ``None`` where the call does not show it."""
    name = last_name(call)
    if name == "astype":
        return _precision_of(arguments_of(call).get("dtype", 0), source)
    module, _, below = source.names.called_in(call).partition(".")
    if module != "numpy" or below not in _MAKES_DOUBLES | _MAKES_AS_GIVEN:
        return None
    position = _TYPE_POSITION.get(name)
    arguments = arguments_of(call)
    given = arguments.keyword("dtype") or (arguments.at(position) if position is not None else None)
    if given is not None or arguments.unpacked:
        return _precision_of(given, source)
    has_point = any(_has_point(item.value) for item in arguments.items)
    return ArrayPrecision.DOUBLE if below in _MAKES_DOUBLES or has_point else None


def _precision_of(given: Argument | None, source: SourceFile) -> ArrayPrecision | None:
    """What a type asks for: ``np.float64``, ``'float64'``, ``float``."""
    if given is None:
        return None
    text = plain_text(given.value)
    if text is None and given.value.type in ("attribute", "identifier"):
        module, _, name = source.names.name_of(given.value).rpartition(".")
        is_known = module == "numpy" or text_of(given.value) in ("float", "int", "bool")
        text = (name or text_of(given.value)) if is_known else None
    if text is None:
        return None
    return ArrayPrecision.DOUBLE if text in _DOUBLE else ArrayPrecision.OTHER


def _has_point(expression: Node) -> bool:
    """Whether a number with a point is written in a list, or is all there is."""
    if expression.type in ("list", "tuple", "unary_operator"):
        return any(_has_point(child) for child in expression.named_children[:20])
    return expression.type == "float"
