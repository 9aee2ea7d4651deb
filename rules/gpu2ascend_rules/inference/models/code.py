"""Which functions of a file compute in a model's forward pass, or a loss."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.below import nodes_of
from ...limits.nesting import Span
from ...limits.parents import parent_of
from ...limits.walks import NAME_LIMITS
from ...text.plain.words import WORD
from ...text.scopes import BindingKind
from ...text.syntax import enclosing, field, is_field, last_name, operator_of, text_of, without_parentheses
from ..classes.class_definitions import ClassDefinitions
from ..host_classes import bases, is_host_class
from ..kinds import Kind, derives_from_module
from ..walk.walker import Walker
from .values import OfModels

if TYPE_CHECKING:
    from ...text.source_file import SourceFile

ENTRIES = (
    "forward", "forward_train", "forward_single", "loss", "loss_single", "training_step", "get_loss",
    "get_training_loss",
)  # fmt: skip
"""The methods from which the code of a model is reached, by the names that libraries call them."""
_OTHERS = ("Transform(", "Pipeline", "Function", "Hook", "Metric", "Evaluat")
"""What the bases of classes have in their names that are no models."""
_BASES = (
    "Head", "Detector", "Module", "Model", "Loss", "Transformer", "Layer", "Encoder", "Decoder", "Template",
    "Net", "Block", "Attention", "3D", "Sequence",
)  # fmt: skip
"""How the names of classes end that are models, in libraries."""
_AFTERWARDS = ("get_bboxes", "simple_test", "decode", "postprocess", "post_process", "visualize", "evaluate")
_DEFINED = re.compile(rb"\bdef\s+(\w+)")
_LOOKED_AT = (
    "assert_statement", "binary_operator", "call", "conditional_expression", "elif_clause", "for_statement",
    "if_statement", "subscript", "while_statement",
)  # fmt: skip
"""The types of nodes that rules ask for."""
_MASKS = frozenset(
    {"isfinite", "isnan", "isinf", "logical_and", "logical_or", "logical_not", "logical_xor", "eq", "ne",
     "gt", "lt", "ge", "le", "bool", "isin", "isclose"}
)  # fmt: skip
"""Functions and methods that give a tensor of truth values."""


class ModelCode:
    """The functions of a file that compute in a forward pass, what is in them, and what is a tensor there."""

    def __init__(self, source: SourceFile, classes: ClassDefinitions) -> None:
        self._source = source
        self._classes = classes

    @cached_property
    def _walker(self) -> Walker[Kind]:
        functions = frozenset(function.id for function in self.functions)
        has_arrays = b"numpy" in self._source.data
        return Walker(self._source, OfModels(functions, has_arrays=has_arrays), self._classes)

    @cached_property
    def functions(self) -> tuple[Node, ...]:
        """The functions, in the order of the text."""
        return tuple(sorted(self._looked_at[0], key=lambda function: function.start_byte))

    @cached_property
    def _looked_at(self) -> tuple[list[Node], dict[str, list[Node]]]:
        """The functions, and the nodes in them by their types: each function is gone through once."""
        found: dict[int, Node] = {}
        nodes: dict[str, list[Node]] = {}
        seen: set[int] = set()
        waiting = [function for name in ENTRIES for function in self._named(name)]
        while waiting:
            function = waiting.pop()
            if function.id in found or _is_afterwards(function):
                continue
            found[function.id] = function
            parts = list(nodes_of(function, *_LOOKED_AT, "class_definition"))
            classes = (one for one in parts if one.type == "class_definition")
            apart = [*self._source.deep_parts, *((one.start_byte, one.end_byte) for one in classes)]
            for node in _outside(apart, parts):
                if node.id not in seen:
                    seen.add(node.id)
                    nodes.setdefault(node.type, []).append(node)
            for name in _outside(apart, self._names_in(function)):
                waiting.extend(self._meant_by(name, function))
        return list(found.values()), {kind: _in_order(some) for kind, some in nodes.items()}

    def nodes(self, kind: str) -> list[Node]:
        """The nodes of a type that are in these functions."""
        return self._looked_at[1].get(kind, [])

    def calls(self, names: Iterable[str]) -> list[Node]:
        """The calls in these functions of functions and methods with one of some names."""
        return _in_order(call for name in names for call in self._calls.get(name, ()))

    @cached_property
    def _calls(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for call in self.nodes("call"):
            found.setdefault(last_name(call), []).append(call)
        return found

    def is_tensor(self, expression: Node) -> bool:
        """Whether an expression is a tensor."""
        return self._walker.of(expression) is Kind.TENSOR

    def is_module(self, expression: Node) -> bool:
        """Whether an expression is a layer."""
        return self._walker.of(expression) is Kind.MODULE

    def is_mask(self, expression: Node) -> bool:
        """Whether an expression is a tensor of truth values."""
        return self._is_mask(expression, 0)

    def _is_mask(self, expression: Node, depth: int) -> bool:
        node = without_parentheses(expression)
        if node.type == "comparison_operator":
            return self.is_tensor(node)
        if node.type == "unary_operator":
            return operator_of(node) == "~" and self.is_tensor(node)
        if node.type == "binary_operator":
            sides = (field(node, "left"), field(node, "right"))
            is_logical = operator_of(node) in ("&", "|", "^")
            return is_logical and any(side is not None and self._is_mask(side, depth + 1) for side in sides)
        if node.type == "call":
            return last_name(node) in _MASKS and self.is_tensor(node)
        return node.type == "identifier" and depth <= NAME_LIMITS.masks and self._names_mask(node, depth)

    def _names_mask(self, name: Node, depth: int) -> bool:
        """Whether a name is only ever given masks, or is a parameter that is called one."""
        bindings = self._source.names.bindings_in_scope(text_of(name), name)
        if bindings and all(one.kind is BindingKind.PARAMETER for one in bindings):
            return "mask" in text_of(name) and self.is_tensor(name)
        given = [one.value for one in bindings if one.kind is BindingKind.ASSIGNMENT]
        values = [value for value in given if value is not None]
        return len(values) == len(bindings) > 0 and all(self._is_mask(value, depth + 1) for value in values)

    # -- which functions ---------------------------------------------------------------------------

    def _named(self, name: str) -> Iterator[Node]:
        """The methods of one of the entries' names in classes of models."""
        for identifier in self._source.identifiers(name):
            function = parent_of(identifier)
            if function is None or function.type != "function_definition" or not is_field(identifier, "name"):
                continue
            owner = enclosing(function, "class_definition")
            if owner is not None and _first_parameter(function) == "self" and self._is_model(owner):
                yield function

    def _is_model(self, owner: Node) -> bool:
        """Whether a class is one of a layer, a model or a loss."""
        if derives_from_module(owner, self._source.names):
            return True
        named = bases(owner)
        is_other = any(word in f"{text}(" for text in (*named, _name(owner)) for word in _OTHERS)
        if is_other or is_host_class(owner, self._source.names):
            return False
        return any(base.rpartition(".")[2].endswith(_BASES) for base in named)

    def _meant_by(self, name: Node, function: Node) -> Iterator[Node]:
        """The method of the same class, or the function of the file, that a name in a function means."""
        if not is_field(name, "attribute"):
            is_read = self._source.names.is_reference(name)
            definition = self._classes.definition_of(name) if is_read else None
            if definition is not None and definition.type == "function_definition":
                yield definition
            return
        owner = enclosing(function, "class_definition")
        if owner is not None and text_of(field(parent_of(name), "object")) == "self":
            method = self._classes.method(owner, text_of(name))
            if method is not None:
                yield method

    def _names_in(self, function: Node) -> Iterator[Node]:
        """Where a function has the names of the file's functions."""
        for word in WORD.finditer(self._source.data, function.start_byte, function.end_byte):
            node = self._source.node_at(*word.span()) if word[0] in self._defined else None
            if node is not None and node.type == "identifier":
                yield node

    @cached_property
    def _defined(self) -> frozenset[bytes]:
        """The names of all functions of the file."""
        return frozenset(_DEFINED.findall(self._source.data))


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    """Nodes in the order of the text, each before its parts."""
    return sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))


def _outside(spans: Sequence[Span], nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes that begin in none of some parts of a text."""
    return (node for node in nodes if not any(start <= node.start_byte < end for start, end in spans))


def _first_parameter(function: Node) -> str:
    parameters = field(function, "parameters")
    named = parameters.named_children if parameters is not None else []
    return text_of(named[0]) if named else ""


def _name(definition: Node) -> str:
    name = field(definition, "name")
    return text_of(name)


def _is_afterwards(function: Node) -> bool:
    """Whether a function is about results, by its name, or makes the model."""
    name = _name(function)
    return name.startswith(("_init", "init_", "__init__")) or name.startswith(_AFTERWARDS)
