"""Values in functions with gradients of their own: classes derived from ``torch.autograd.Function``."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.inference.classes.torch_classes import takes_one_tensor
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, enclosing, field, last_name, passed_to, text_of
from gpu2ascend_rules.text.uses import uses_of_variable

FUNCTION = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})


def is_function(source: SourceFile, owner: Node) -> bool:
    """Whether a class is such a function."""
    bases = field(owner, "superclasses")
    for base in bases.named_children if bases is not None else ():
        found = source.names.qualified_name(base)
        if found is not None and found.qualified_name in FUNCTION:
            return True
    return False


def is_tensor_of_function(source: SourceFile, binding: Binding) -> bool:
    """Whether a binding gives a tensor: a gradient that comes in, and what is or was saved for it."""
    owner = enclosing(binding.node, "class_definition")
    if owner is None or not is_function(source, owner):
        return False
    if binding.kind is BindingKind.PARAMETER:
        function = enclosing(binding.node, "function_definition")
        name = field(function, "name")
        parameters = field(function, "parameters")
        first = parameters.named_children[0] if parameters is not None and parameters.named_children else None
        if first is not None and text_of(first) == binding.name:
            return False
        is_gradient = text_of(name) == "backward"
        return is_gradient or any(_is_saved(use) for use in uses_of_variable(binding.node, source))
    value = field(binding.statement, "right") if binding.statement.type == "assignment" else None
    return value is not None and text_of(value).partition("[")[0].endswith(
        (".saved_tensors", ".saved_variables")
    )


def _is_saved(use: Node) -> bool:
    passed = passed_to(use)
    return passed is not None and last_name(passed.call) == "save_for_backward"


_LAYERS = {"torch.nn.GRU": 2, "torch.nn.RNN": 2, "torch.nn.LSTM": 1, "torch.nn.MultiheadAttention": 2}
"""Layers that give several things, and how many of the first are tensors."""


def is_output_of_layer(layer: str, target: Node, name: Node) -> bool:
    """Whether a variable gets one of the tensors that a layer gives together: ``out, (h, c) = lstm(x)``."""
    return any(one.id == name.id for one in target.named_children[: _LAYERS.get(layer, 0)])


def takes_tensor(layer: str, position: int) -> bool:
    """Whether a layer takes nothing but a tensor at a place: the first, of losses each but lengths."""
    is_loss = layer.endswith("Loss") and not layer.endswith("CTCLoss")
    return takes_one_tensor(layer) and (position == 0 or is_loss)


def is_smaller_or_larger(name: str, call: Node) -> bool:
    """Whether a call compares two tensors, or looks for the extreme of one: with a dimension it gives two."""
    given = arguments_of(call)
    if name not in ("torch.max", "torch.min") or given.unpacked:
        return False
    second = given.get("other", 1)
    if second is None:
        return given.keyword("dim") is None and given.keyword("axis") is None
    is_number = second.value.type in ("integer", "unary_operator") or text_of(second.value) in ("dim", "axis")
    return second.keyword == "other" or (not is_number and second.value.type in ("binary_operator", "call"))
