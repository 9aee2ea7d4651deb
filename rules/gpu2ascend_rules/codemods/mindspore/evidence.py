"""What a file shows of its expressions: what they are, and what other parts of the conversion change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from ...correspondences.binding import is_literal_kind
from ...engine.context import Context
from ...engine.scan import scan_imports
from ...inference.duck_typing import use_of_no_tensor
from ...inference.instances import Instance
from ...inference.kinds import Kind
from ...inference.torch_classes import is_module, is_tensor, result_of_method
from ...limits.walks import WALK_LIMITS
from ...text.scopes import reaching
from ...text.source_file import SourceFile
from ...text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    passed_to,
    text_of,
    without_parentheses,
)
from ...text.uses import uses_of_variable

_DTYPES = frozenset(
    [
        "float32",
        "float",
        "float64",
        "double",
        "float16",
        "half",
        "bfloat16",
        "int8",
        "int16",
        "short",
        "int32",
        "int",
        "int64",
        "long",
        "uint8",
        "bool",
        "complex64",
        "complex128",
    ]
)
_DEVICE_NAMES = frozenset({"device", "dev"})
ROOTS = frozenset({"torch"})
"""The modules whose names are converted."""
_ONLY_OF_TENSORS = frozenset(
    {"size", "unsqueeze", "permute", "expand", "detach", "masked_fill", "numel", "new_zeros", "softmax"}
    | {"view_as", "expand_as", "contiguous", "type_as", "new_ones", "new_full", "new_tensor", "backward"}
    | {"requires_grad_", "nelement", "index_select", "masked_fill_", "index_fill", "log_softmax"}
)
"""Methods that neither NumPy's arrays nor other common classes have; ``size`` is an attribute there."""
_ONLY_OF_MODULES = frozenset({"parameters", "named_parameters", "named_modules", "load_state_dict"})
_FUNCTIONAL = "torch.nn.functional."
_SEVERAL = frozenset({f"{_FUNCTIONAL}multi_head_attention_forward"})
"""Functions there that give several tensors."""
_A_TENSOR = Instance("torch.Tensor")
_A_MODULE = Instance("torch.nn.Module")


class Evidence:
    """Answers about the expressions of one file."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.source: SourceFile = context.source
        self._done: set[int] = set()
        self.imports = tuple(scan_imports(self.source, ROOTS))
        """What the file imports from torch."""

    def take_care_of(self, node: Node) -> None:
        """Leave a node, and what is in it, to who says so."""
        self._done.add(node.id)

    def is_taken_care_of(self, node: Node) -> bool:
        """Whether another part of the conversion changes what a node is in."""
        return any(one.id in self._done for one in (node, *ancestors(node)))

    def instance(self, node: Node) -> Instance | None:
        """Of which class an expression certainly is; None where that is not proven.

        A variable is what the assignments that reach the place make it. Else it is a tensor where a method is
        called on it that only tensors have, and all that the code does with it fits a tensor.
        """
        found = self._instance(node, WALK_LIMITS.depth)
        if found is None and is_field(node, "object") and self._is_output(node, WALK_LIMITS.depth):
            return _A_TENSOR  # of what a module gives for its inputs a tensor has the methods
        return found

    def _instance(self, node: Node, depth: int) -> Instance | None:
        node = without_parentheses(node)
        found = self.context.instances.of(node)
        if found is not None or not depth:
            return found
        if node.type == "identifier":
            return self._variable(node, depth)
        if node.type in ("binary_operator", "comparison_operator"):
            operands = [self._instance(one, depth - 1) for one in node.named_children]
            return _A_TENSOR if any(one == _A_TENSOR for one in operands) else None
        if node.type == "subscript":
            return self._tensor(field(node, "value"), depth)
        return self._result(node, depth) if node.type == "call" else None

    def _variable(self, node: Node, depth: int) -> Instance | None:
        bindings = self.source.names.bindings_in_scope(text_of(node), node)
        values = [binding.value for binding in reaching(bindings, node)] if bindings else []
        if values and None not in values:
            found = {self._instance(value, depth - 1) for value in values if value is not None}
            if len(found) == 1 and None not in found:
                return found.pop()
        if use_of_no_tensor(node, self.source) is None and (
            self._is_used_as(node, _is_use_of_tensor) or self._are_of_modules(values, depth)
        ):
            return _A_TENSOR
        if self._is_used_as(node, _is_called) and self._is_used_as(node, _is_switched):
            return _A_MODULE
        return _A_MODULE if self._is_used_as(node, _is_use_of_module) else None

    def _are_of_modules(self, values: Sequence[Node | None], depth: int) -> bool:
        """Whether all values are what modules give for their inputs: by convention a tensor."""
        return bool(values) and all(value is not None and self._is_output(value, depth) for value in values)

    def _is_output(self, value: Node, depth: int) -> bool:
        function = field(value, "function") if value.type == "call" else None
        found = self._instance(function, depth - 1) if function is not None else None
        return found is not None and is_module(found.class_name)

    def _is_used_as(self, variable: Node, is_such: Callable[[Node, SourceFile], bool]) -> bool:
        uses = (variable, *uses_of_variable(variable, self.source))
        return any(is_such(use, self.source) for use in uses)

    def _tensor(self, node: Node | None, depth: int) -> Instance | None:
        found = self._instance(node, depth - 1) if node is not None else None
        return _A_TENSOR if found == _A_TENSOR else None

    def _result(self, call: Node, depth: int) -> Instance | None:
        """What a method of a tensor, or a function of tensors, gives."""
        function = field(call, "function")
        owner = field(function, "object") if function is not None and function.type == "attribute" else None
        if owner is not None and (self._tensor(owner, depth) is not None or self._is_output(owner, depth)):
            given = result_of_method(_A_TENSOR.class_name, last_name(call))
            return Instance(given) if given is not None else None
        resolution = self.source.names.qualified_name(function) if function is not None else None
        if resolution is None:
            return None
        name = resolution.qualified_name
        gives_one = name.startswith(_FUNCTIONAL) and len(arguments_of(call).items) and name not in _SEVERAL
        return _A_TENSOR if gives_one else None

    def is_of_kind(self, node: Node, kind: str) -> bool:
        """Whether an expression is certainly what an entry of the table is for."""
        if kind == "tensor":
            found = self.instance(node)
            return found is not None and is_tensor(found.class_name)
        if kind == "dtype":
            return self._is_dtype(node)
        if kind == "device":
            return self._is_device(node)
        return is_literal_kind(node, kind)

    def is_module(self, node: Node) -> bool:
        """Whether an expression is certainly a module."""
        found = self.instance(node)
        return found is not None and is_module(found.class_name)

    def _is_dtype(self, node: Node) -> bool:
        resolution = self.source.names.qualified_name(node)
        if resolution is None:
            return node.type == "attribute" and text_of(node).endswith(".dtype")
        module, _, name = resolution.qualified_name.rpartition(".")
        return module == "torch" and name in _DTYPES

    def _is_device(self, node: Node) -> bool:
        named = text_of(node).rpartition(".")[2] in _DEVICE_NAMES
        if named and (node.type == "attribute" or self.context.types.kind(node) is Kind.UNKNOWN):
            return True
        return self.context.types.kind(node) in (Kind.DEVICE, Kind.TEXT, Kind.INTEGER)


def _is_use_of_tensor(identifier: Node, source: SourceFile) -> bool:
    """Whether a use of a variable is one that only tensors have: a method, or an argument of the losses."""
    if _calls_method(identifier, _ONLY_OF_TENSORS):
        return True
    passed = passed_to(identifier)
    if passed is None or passed.argument.position != 0:
        return False
    function = field(passed.call, "function")
    resolution = source.names.qualified_name(function) if function is not None else None
    return resolution is not None and resolution.qualified_name.startswith(_FUNCTIONAL)


def _is_use_of_module(identifier: Node, source: SourceFile) -> bool:
    """Whether a use of a variable is a method that only modules have."""
    return _calls_method(identifier, _ONLY_OF_MODULES)


def _is_called(identifier: Node, source: SourceFile) -> bool:
    return call_of(identifier) is not None


def _is_switched(identifier: Node, source: SourceFile) -> bool:
    """Whether a use of a variable switches it to training or to evaluation."""
    return _calls_method(identifier, frozenset({"eval", "train"}))


def _calls_method(identifier: Node, names: frozenset[str]) -> bool:
    parent = identifier.parent
    if parent is None or parent.type != "attribute" or not is_field(identifier, "object"):
        return False
    name = field(parent, "attribute")
    return name is not None and text_of(name) in names and call_of(parent) is not None
