"""What a value is in the code of a model: there, parameters and what layers give are tensors."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from ...data import load_json
from ...limits.parents import parent_of
from ...text.names import NameResolution
from ...text.scopes import Binding
from ...text.syntax import enclosing, field, is_field, operator_of, passed_to, text_of
from ...text.uses import uses_of_variable
from ..duck_typing import use_of_no_tensor
from ..kinds import Kind, Likely
from ..tensor_like import ONLY_OF_TENSORS
from ..walk.reading import Walk, Way

_TENSORS = load_json("tensors")
_METHODS = frozenset(_TENSORS["methods"])
_SEVERAL = frozenset(
    {"max", "min", "sort", "topk", "kthvalue", "median", "mode", "split", "chunk", "unbind", "meshgrid",
     "nonzero", "unique", "unique_consecutive", "broadcast_tensors", "cummax", "cummin", "tensor_split"}
)  # fmt: skip
"""Functions that may give several tensors at once."""
_LITERALS = {kind: value for kind, value in Likely.literals.items() if kind != "comparison_operator"}
_OF_TENSORS = frozenset({"shape", "device", "dtype", "ndim", "requires_grad", "is_cuda", "new_tensor"})
_MODULES = ("torch", "F", "torch.nn.functional")
_OF_NUMBERS = frozenset(
    {"arange", "as_tensor", "device", "empty", "eye", "from_numpy", "full", "is_tensor", "linspace",
     "logspace", "manual_seed", "ones", "rand", "randint", "randn", "randperm", "range", "save", "tensor",
     "zeros", "hann_window", "tril_indices", "triu_indices", "cat", "stack", "concat", "meshgrid",
     "broadcast_tensors"}
)  # fmt: skip
"""Functions of torch whose first argument is a number, a list or anything."""
_NOT_ONE = ("RNN", "LSTM", "GRU", "MultiheadAttention", "ModuleDict", "ParameterDict", "ParameterList")
"""Layers that give more than a tensor, and classes that are no layers."""


class OfModels(Likely):
    """What a value is, in a function that computes in a forward pass."""

    literals = _LITERALS
    ways = Likely.ways | {Way.UNPACKING}

    def __init__(self, functions: frozenset[int], *, has_arrays: bool) -> None:
        """Take the functions of models by their ids, and whether the file has arrays of NumPy."""
        self._functions = functions
        self._has_arrays = has_arrays

    def _computes(self, function: Node) -> bool:
        """Whether the parameters of a function may be tensors."""
        is_loose = function.type == "function_definition" and enclosing(function, "class_definition") is None
        return function.id in self._functions or (is_loose and not self._has_arrays)

    def parameter(self, binding: Binding, walk: Walk[Kind]) -> Kind | None:
        function = enclosing(binding.node, "function_definition", "lambda")
        if function is None or not self._computes(function):
            return None
        is_used = any(shows_tensor(use) for use in uses_of_variable(binding.node, walk.source))
        return Kind.TENSOR if is_used and use_of_no_tensor(binding.node, walk.source) is None else None

    def made_by(self, function: NameResolution, call: Node) -> Kind | None:
        last = function.qualified_name.rpartition(".")[2]
        return Kind.OTHER if last in _NOT_ONE else super().made_by(function, call)

    def method(self, receiver: Node, name: str, walk: Walk[Kind], depth: int) -> Kind | None:
        found = super().method(receiver, name, walk, depth)
        if found is not None or name not in _METHODS:
            return found
        is_tensor = name not in _SEVERAL and walk.of(receiver, depth) is Kind.TENSOR
        return Kind.TENSOR if is_tensor else None

    def applied(self, function: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        return Kind.TENSOR if walk.of(function, depth) is Kind.MODULE else None

    def item(self, holder: Kind, node: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        return holder if holder is Kind.MODULE else super().item(holder, node, walk, depth)

    def yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, walk: Walk[Kind], depth: int
    ) -> Kind | None:
        found = super().yielded(iterable, place, binding, walk, depth)
        is_modules = found is None and not place and walk.of(iterable, depth) is Kind.MODULE
        return Kind.MODULE if is_modules else found

    def unpacked(self, value: Node, walk: Walk[Kind], depth: int) -> Kind | None:
        function = field(value, "function")
        name, receiver = field(function, "attribute"), field(function, "object")
        if name is None or receiver is None or text_of(name) not in _SEVERAL:
            return None
        is_of_tensor = text_of(receiver) == "torch" or walk.of(receiver, depth) is Kind.TENSOR
        return Kind.TENSOR if is_of_tensor else None

    def operation(self, node: Node, operands: Sequence[Kind]) -> Kind | None:
        if node.type == "comparison_operator" and Kind.TENSOR not in operands:
            return Kind.PENDING if Kind.PENDING in operands else Kind.BOOLEAN
        return super().operation(node, operands)


def shows_tensor(use: Node) -> bool:
    """Whether a use of a name is one to which only a tensor is put."""
    parent = parent_of(use)
    if parent is not None and parent.type == "attribute" and is_field(use, "object"):
        member = text_of(field(parent, "attribute") or parent)
        return member in ONLY_OF_TENSORS or member in _OF_TENSORS
    passed = passed_to(use)
    if passed is not None:
        module, _, name = text_of(field(passed.call, "function") or passed.call).rpartition(".")
        return passed.argument.position == 0 and module in _MODULES and name not in _OF_NUMBERS
    if parent is not None and parent.type == "subscript" and is_field(use, "value"):
        return len(parent.children_by_field_name("subscript")) > 1
    is_product = parent is not None and parent.type == "binary_operator" and operator_of(parent) == "@"
    return is_product
