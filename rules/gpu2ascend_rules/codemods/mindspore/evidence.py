"""What a file shows of its expressions: what they are, and what other parts of the conversion change."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import islice

from tree_sitter import Node

from ...correspondences.binding import is_literal_kind
from ...engine.context import Context
from ...engine.scan import scan_imports
from ...inference.duck_typing import fits_tensor
from ...inference.instances import Instance
from ...inference.kinds import Kind
from ...inference.torch_classes import is_module, is_tensor, result_of_method
from ...limits.walks import WALK_LIMITS
from ...text.scopes import Binding, Reaching
from ...text.source_file import SourceFile
from ...text.syntax import (
    ancestors,
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    passed_to,
    same,
    text_of,
    without_parentheses,
)
from ...text.uses import scope_of_variable

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
        self._done = _Covered()
        self._variables: dict[tuple[str, int], _Variable] = {}
        self.imports = tuple(scan_imports(self.source, ROOTS))
        """What the file imports from torch."""

    def take_care_of(self, node: Node) -> None:
        """Leave a node, and what is in it, to who says so."""
        self._done.add(node)

    def is_taken_care_of(self, node: Node) -> bool:
        """Whether another part of the conversion changes what a node is in."""
        return node in self._done

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
        if node.type == "attribute" and text_of(node).endswith(".module"):
            found = self._instance(node.named_children[0], depth - 1)
            return _A_MODULE if found is not None and is_module(found.class_name) else None
        if node.type in ("binary_operator", "comparison_operator"):
            operands = [self._instance(one, depth - 1) for one in node.named_children]
            return _A_TENSOR if any(one == _A_TENSOR for one in operands) else None
        if node.type == "subscript":
            return self._tensor(field(node, "value"), depth)
        return self._result(node, depth) if node.type == "call" else None

    def _variable(self, node: Node, depth: int) -> Instance | None:
        values = [binding.value for binding in self.reaching(node)]
        if values and None not in values:
            found = {self._instance(value, depth - 1) for value in values if value is not None}
            if len(found) == 1 and None not in found:
                return found.pop()
        if self._variable_of(node).fits_tensor(node) and (
            self._is_used_as(node, _is_use_of_tensor) or self._are_of_modules(values, depth)
        ):
            return _A_TENSOR
        if self._is_used_as(node, _is_called) and self._is_used_as(node, _is_switched):
            return _A_MODULE
        return _A_MODULE if self._is_used_as(node, _is_use_of_module) else None

    def reaching(self, node: Node, *, but: int = -1) -> tuple[Binding, ...]:
        """The bindings of a variable that give it its value at a place, less that at ``but``."""
        return self._variable_of(node).reaching(node, but)

    def is_ever_bound(self, node: Node, is_such: Callable[[Binding], bool]) -> bool:
        """Whether one of all the bindings of a variable is such."""
        return self._variable_of(node).is_ever_bound(node, is_such)

    def _are_of_modules(self, values: Sequence[Node | None], depth: int) -> bool:
        """Whether all values are what modules give for their inputs: by convention a tensor."""
        return bool(values) and all(value is not None and self._is_output(value, depth) for value in values)

    def _is_output(self, value: Node, depth: int) -> bool:
        function = field(value, "function") if value.type == "call" else None
        found = self._instance(function, depth - 1) if function is not None else None
        return found is not None and is_module(found.class_name)

    def _is_used_as(self, variable: Node, is_such: Callable[[Node, SourceFile], bool]) -> bool:
        return is_such(variable, self.source) or self._variable_of(variable).is_used_as(is_such)

    def _variable_of(self, identifier: Node) -> _Variable:
        name, scope = text_of(identifier), scope_of_variable(identifier, self.source)
        key = (name, scope.id)
        if key not in self._variables:
            self._variables[key] = _Variable(self.source, self.source.names.readers(name, scope))
        return self._variables[key]

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

    def names_device(self, node: Node) -> bool:
        """Whether a variable or an attribute is called as devices are."""
        named = text_of(node).rpartition(".")[2] in _DEVICE_NAMES
        return named and node.type in ("identifier", "attribute")

    def _is_device(self, node: Node) -> bool:
        named = text_of(node).rpartition(".")[2] in _DEVICE_NAMES
        if named and (node.type == "attribute" or self.context.types.kind(node) is Kind.UNKNOWN):
            return True
        return self.context.types.kind(node) in (Kind.DEVICE, Kind.TEXT, Kind.INTEGER)


class _Variable:
    """What all uses of one variable show; each is looked at once, whoever asks."""

    def __init__(self, source: SourceFile, uses: Sequence[Node]) -> None:
        self._source = source
        self._uses = uses
        self._unfit: list[Node] | None = None
        self._used_as: dict[Callable[[Node, SourceFile], bool], bool] = {}
        self._bound_by: dict[Callable[[Binding], bool], bool] = {}
        self._reaching: Reaching | None = None

    def reaching(self, place: Node, but: int) -> tuple[Binding, ...]:
        """The bindings that give it its value at a place, without that at the offset ``but``."""
        if self._reaching is None:
            bindings = self._source.names.bindings_in_scope(text_of(place), place)
            self._reaching = Reaching(bindings) if bindings else None
        return self._reaching.at(place, but=but) if self._reaching is not None else ()

    def fits_tensor(self, identifier: Node) -> bool:
        """Whether no use but one speaks against a tensor."""
        if self._unfit is None:
            self._unfit = list(islice((use for use in self._uses if not fits_tensor(use)), 2))
        return all(same(use, identifier) for use in self._unfit)

    def is_ever_bound(self, identifier: Node, is_such: Callable[[Binding], bool]) -> bool:
        """Whether one of its bindings is such."""
        if is_such not in self._bound_by:
            bindings = self._source.names.bindings_in_scope(text_of(identifier), identifier)
            self._bound_by[is_such] = any(map(is_such, bindings))
        return self._bound_by[is_such]

    def is_used_as(self, is_such: Callable[[Node, SourceFile], bool]) -> bool:
        """Whether one of the uses is such."""
        if is_such not in self._used_as:
            self._used_as[is_such] = any(is_such(use, self._source) for use in self._uses)
        return self._used_as[is_such]


class _Covered:
    """Nodes of which a part is asked for: only what lies in one by its place is climbed from."""

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self._spans: list[tuple[int, int]] = []
        """Of the outermost, in text order."""

    def add(self, node: Node) -> None:
        """A further node."""
        self._ids.add(node.id)
        start, end = node.start_byte, node.end_byte
        index = bisect_right(self._spans, (start, end))
        if index and end <= self._spans[index - 1][1]:
            return
        last = index
        while last < len(self._spans) and self._spans[last][1] <= end:
            last += 1
        first = index - 1 if index and self._spans[index - 1][0] == start else index
        self._spans[first:last] = [(start, end)]

    def __contains__(self, node: Node) -> bool:
        """Whether a node is one of them, or in one."""
        index = bisect_right(self._spans, (node.start_byte, sys.maxsize))
        if not index or node.end_byte > self._spans[index - 1][1]:
            return False
        return any(one.id in self._ids for one in (node, *ancestors(node)))


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
