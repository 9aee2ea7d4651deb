"""What a file shows of its expressions: what they are, and what other parts of the conversion change."""

from __future__ import annotations

from tree_sitter import Node

from ...correspondences.binding import is_literal_kind
from ...engine.context import Context
from ...inference.duck_typing import use_of_no_tensor
from ...inference.instances import Instance
from ...inference.kinds import Kind
from ...inference.torch_classes import is_module, is_tensor
from ...limits.walks import WALK_LIMITS
from ...text.scopes import reaching
from ...text.source_file import SourceFile
from ...text.syntax import ancestors, call_of, field, is_field, text_of, without_parentheses
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
_ONLY_OF_TENSORS = frozenset(
    {"size", "unsqueeze", "permute", "expand", "detach", "masked_fill", "numel", "new_zeros", "softmax"}
)
"""Methods that neither NumPy's arrays nor other common classes have; ``size`` is an attribute there."""
_A_TENSOR = Instance("torch.Tensor")


class Evidence:
    """Answers about the expressions of one file."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.source: SourceFile = context.source
        self._done: set[int] = set()

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
        return self._instance(node, WALK_LIMITS.depth)

    def _instance(self, node: Node, depth: int) -> Instance | None:
        node = without_parentheses(node)
        found = self.context.instances.of(node)
        if found is not None or node.type != "identifier" or not depth:
            return found
        bindings = self.source.names.bindings_in_scope(text_of(node), node)
        values = [binding.value for binding in reaching(bindings, node)] if bindings else []
        found_at = [self._instance(value, depth - 1) for value in values if value is not None]
        if values and len(found_at) == len(values) and len(set(found_at)) == 1 and found_at[0] is not None:
            return found_at[0]
        return _A_TENSOR if self._is_used_as_tensor(node) else None

    def _is_used_as_tensor(self, variable: Node) -> bool:
        if use_of_no_tensor(variable, self.source) is not None:
            return False
        return any(_calls_tensor_method(use) for use in uses_of_variable(variable, self.source))

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
        if node.type == "attribute" and text_of(node).rpartition(".")[2] in _DEVICE_NAMES:
            return True
        return self.context.types.kind(node) in (Kind.DEVICE, Kind.TEXT, Kind.INTEGER)


def _calls_tensor_method(identifier: Node) -> bool:
    parent = identifier.parent
    if parent is None or parent.type != "attribute" or not is_field(identifier, "object"):
        return False
    name = field(parent, "attribute")
    return name is not None and text_of(name) in _ONLY_OF_TENSORS and call_of(parent) is not None
