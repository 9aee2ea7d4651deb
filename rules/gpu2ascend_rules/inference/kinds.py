"""What an expression is, as far as its own file tells: a tensor, a module, a device, a number, a text.

Evidence is local: literals, constructors, annotations, assignments to a name or to ``self.x``, and,
for ordinals, the names that distributed code gives them. No evidence gives :attr:`Kind.UNKNOWN`;
evidence for two kinds does too.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..text.scopes import Binding, BindingKind
from ..text.syntax import ancestors, enclosing, text_of, without_parentheses
from .naming_hints import (
    INTEGER_ATTRIBUTES,
    INTEGER_CALLS,
    INTEGER_NAMES,
    KEEPS_RECEIVER,
    MODULE_BASES,
    NOT_TENSORS,
    TENSOR_ATTRIBUTES,
    TENSOR_METHODS,
)

if TYPE_CHECKING:
    from ..text.source_file import SourceFile

MAX_DEPTH = 12


class Kind(enum.Enum):
    """What a value is."""

    TENSOR = "tensor"
    MODULE = "module"
    OPTIMIZER = "optimizer"
    DEVICE = "device"
    INTEGER = "integer"
    TEXT = "text"
    BOOLEAN = "boolean"
    NONE = "none"
    STREAM = "stream"
    OTHER = "other"
    """Known to be none of these: an object of a class of this file, or of another library."""
    UNKNOWN = "unknown"


_LITERALS = {
    "integer": Kind.INTEGER,
    "string": Kind.TEXT,
    "concatenated_string": Kind.TEXT,
    "true": Kind.BOOLEAN,
    "false": Kind.BOOLEAN,
    "none": Kind.NONE,
    "comparison_operator": Kind.BOOLEAN,
    "not_operator": Kind.BOOLEAN,
    "dictionary": Kind.OTHER,
    "list": Kind.OTHER,
    "tuple": Kind.OTHER,
    "set": Kind.OTHER,
    "float": Kind.OTHER,
    "list_comprehension": Kind.OTHER,
    "dictionary_comprehension": Kind.OTHER,
}
_BUILTIN_CALLS = {"int": Kind.INTEGER, "len": Kind.INTEGER, "str": Kind.TEXT, "bool": Kind.BOOLEAN}
_ANNOTATIONS = {"int": Kind.INTEGER, "str": Kind.TEXT, "bool": Kind.BOOLEAN, "Tensor": Kind.TENSOR}


class TypeInference:
    """Answers for one file; every answer is kept."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._known: dict[int, Kind] = {}
        self._names: dict[tuple[str, int], Kind] = {}
        self._assigned: dict[str, dict[int, list[Node]]] = {}
        self._attributes: dict[tuple[str, int], Kind] = {}

    def kind(self, expression: Node, depth: int = 0) -> Kind:
        """What an expression is."""
        node = without_parentheses(expression)
        literal = _LITERALS.get(node.type)
        if literal is not None:
            return literal
        if depth > MAX_DEPTH:
            return Kind.UNKNOWN
        found = self._known.get(node.id)
        if found is None:
            checkpoint()
            self._known[node.id] = Kind.NONE  # x = x.cuda() is no evidence of its own
            reader = self._readers().get(node.type)
            found = reader(node, depth + 1) if reader is not None else Kind.UNKNOWN
            self._known[node.id] = found
        return found

    def is_module_class(self, definition: Node) -> bool:
        """Whether a class definition derives from ``nn.Module``."""
        return self._is_module_class(definition, 0)

    def _readers(self) -> dict[str, Callable[[Node, int], Kind]]:
        return {
            "identifier": self._identifier,
            "attribute": self._attribute,
            "call": self._call,
            "subscript": self._subscript,
            "binary_operator": self._binary,
            "unary_operator": self._unary,
            "conditional_expression": self._conditional,
            "boolean_operator": self._either,
            "named_expression": self._named,
            "await": lambda node, depth: Kind.UNKNOWN,
        }

    # -- names -------------------------------------------------------------------------------------

    def _identifier(self, node: Node, depth: int) -> Kind:
        name = text_of(node)
        if name == "self" and self._is_module_class(enclosing(node, "class_definition"), depth):
            return Kind.MODULE
        bindings = self._source.names.bindings_in_scope(name, node)
        if not bindings:
            return Kind.INTEGER if name in INTEGER_NAMES else Kind.UNKNOWN
        key = (name, bindings[0].scope.id)
        found = self._names.get(key)
        if found is None:
            self._names[key] = Kind.NONE  # x = x.cuda() is no evidence of its own
            found = self._names[key] = self._variable(name, bindings, depth)
        return found

    def _variable(self, name: str, bindings: tuple[Binding, ...], depth: int) -> Kind:
        kinds: set[Kind] = set()
        for binding in bindings:
            kinds.add(self._bound(binding, depth))
            if Kind.UNKNOWN in kinds and name not in INTEGER_NAMES:
                return Kind.UNKNOWN
        kinds.discard(Kind.NONE)
        if len(kinds) == 1 and Kind.UNKNOWN not in kinds:
            return kinds.pop()
        if name in INTEGER_NAMES and kinds <= {Kind.INTEGER, Kind.UNKNOWN}:
            return Kind.INTEGER
        return Kind.UNKNOWN

    def _bound(self, binding: Binding, depth: int) -> Kind:
        if binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
            annotated = self._annotated(binding.statement.child_by_field_name("type"))
            return annotated or self.kind(binding.value, depth)
        if binding.kind is BindingKind.PARAMETER:
            return self._parameter(binding, depth)
        if binding.kind is BindingKind.LOOP:
            return self._loop(binding)
        if binding.kind is BindingKind.IMPORT:
            return Kind.OTHER
        return Kind.UNKNOWN

    def _parameter(self, binding: Binding, depth: int) -> Kind:
        holder = binding.node.parent
        annotated = self._annotated(holder.child_by_field_name("type") if holder is not None else None)
        if annotated is not None:
            return annotated
        if binding.value is not None and binding.value.type != "none":
            return self.kind(binding.value, depth)
        return Kind.UNKNOWN

    def _annotated(self, annotation: Node | None) -> Kind | None:
        if annotation is None:
            return None
        expression = annotation.named_children[0] if annotation.named_children else annotation
        text = text_of(expression).strip("'\"")
        for part in (piece.strip() for piece in text.removeprefix("Optional[").rstrip("]").split("|")):
            if part in _ANNOTATIONS:
                return _ANNOTATIONS[part]
            last = part.rpartition(".")[2]
            if last == "Tensor" or (last.endswith("Tensor") and "torch" in part):
                return Kind.TENSOR
            if part in ("nn.Module", "torch.nn.Module", "Module"):
                return Kind.MODULE
            if part == "torch.device":
                return Kind.DEVICE
        return None

    def _loop(self, binding: Binding) -> Kind:
        iterable = binding.statement.child_by_field_name("right")
        if iterable is None or iterable.type != "call":
            return Kind.UNKNOWN
        function = iterable.child_by_field_name("function")
        name = text_of(function) if function is not None else ""
        target = binding.statement.child_by_field_name("left")
        alone = target is not None and target.id == binding.node.id
        if name == "range" and alone:
            return Kind.INTEGER
        first = target.named_children[0] if target is not None and target.named_children else None
        if name == "enumerate" and first is not None and first.id == binding.node.id:
            return Kind.INTEGER
        return Kind.UNKNOWN

    # -- attributes --------------------------------------------------------------------------------

    def _attribute(self, node: Node, depth: int) -> Kind:
        identifier = node.child_by_field_name("attribute")
        receiver = node.child_by_field_name("object")
        if identifier is None or receiver is None:
            return Kind.UNKNOWN
        name = text_of(identifier)
        if text_of(receiver) == "self":
            kind = self._self_attribute(node, name, depth)
            if kind is not Kind.UNKNOWN:
                return kind
        if name == "device":
            return Kind.DEVICE
        if name in INTEGER_NAMES or name in INTEGER_ATTRIBUTES:
            return Kind.INTEGER
        if name in TENSOR_ATTRIBUTES and self.kind(receiver, depth) in (Kind.TENSOR, Kind.MODULE):
            return Kind.TENSOR
        return Kind.UNKNOWN

    def _self_attribute(self, node: Node, name: str, depth: int) -> Kind:
        owner = enclosing(node, "class_definition")
        if owner is None:
            return Kind.UNKNOWN
        key = (name, owner.id)
        found = self._attributes.get(key)
        if found is None:
            self._attributes[key] = Kind.NONE  # self.x = self.x.cuda() is no evidence of its own
            kinds = {self.kind(value, depth) for value in self.assigned_to_self(owner, name)} - {Kind.NONE}
            found = self._attributes[key] = kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
        return found

    def assigned_to_self(self, owner: Node, name: str) -> Sequence[Node]:
        """The values that the methods of a class, and of classes in it, assign to ``self.<name>``."""
        if name not in self._assigned:
            by_class: dict[int, list[Node]] = {}
            for target, value in self._assignments_to_self(name):
                for around in ancestors(target):
                    if around.type == "class_definition":
                        by_class.setdefault(around.id, []).append(value)
            self._assigned[name] = by_class
        return self._assigned[name].get(owner.id, ())

    def _assignments_to_self(self, name: str) -> Iterator[tuple[Node, Node]]:
        for identifier in self._source.identifiers(name):
            target = identifier.parent
            if target is None or target.type != "attribute":
                continue
            statement = target.parent
            if statement is None or statement.type != "assignment" or not _is_self(target):
                continue
            left, value = statement.child_by_field_name("left"), statement.child_by_field_name("right")
            if value is not None and left is not None and left.id == target.id:
                yield target, value

    # -- calls and operators -----------------------------------------------------------------------

    def _call(self, node: Node, depth: int) -> Kind:
        function = node.child_by_field_name("function")
        if function is None:
            return Kind.UNKNOWN
        resolution = self._source.names.qualified_name(function)
        if resolution is not None and resolution.binding is not None:
            return kind_of_call(resolution.qualified_name)
        if resolution is not None and resolution.qualified_name.startswith("torch."):
            return kind_of_call(resolution.qualified_name)
        if function.type == "identifier":
            builtin = _BUILTIN_CALLS.get(text_of(function))
            return builtin if builtin is not None else self._local_class(function, depth)
        if function.type == "attribute":
            return self._method(function, depth)
        return Kind.UNKNOWN

    def _local_class(self, function: Node, depth: int) -> Kind:
        for binding in self._source.names.bindings_in_scope(text_of(function), function):
            if binding.kind is BindingKind.DEFINITION and binding.statement.type == "class_definition":
                is_module = self._is_module_class(binding.statement, depth)
                return Kind.MODULE if is_module else self._class_without_base(binding.statement)
        return Kind.UNKNOWN

    def _class_without_base(self, owner: Node) -> Kind:
        bases = owner.child_by_field_name("superclasses")
        plain = bases is None or all(text_of(base) == "object" for base in bases.named_children)
        return Kind.OTHER if plain else Kind.UNKNOWN

    def _is_module_class(self, owner: Node | None, depth: int) -> bool:
        bases = owner.child_by_field_name("superclasses") if owner is not None else None
        if bases is None or depth > MAX_DEPTH:
            return False
        return any(self._is_module_base(base, depth + 1) for base in bases.named_children)

    def _is_module_base(self, base: Node, depth: int) -> bool:
        resolution = self._source.names.qualified_name(base)
        if resolution is not None and resolution.binding is not None:
            return is_module_class(resolution.qualified_name)
        if base.type == "identifier":
            for binding in self._source.names.bindings_in_scope(text_of(base), base):
                if binding.statement.type == "class_definition":
                    return self._is_module_class(binding.statement, depth)
        return is_module_class(text_of(base))

    def _method(self, function: Node, depth: int) -> Kind:
        identifier = function.child_by_field_name("attribute")
        receiver = function.child_by_field_name("object")
        if identifier is None or receiver is None:
            return Kind.UNKNOWN
        name = text_of(identifier)
        if name in KEEPS_RECEIVER:
            return self.kind(receiver, depth)
        if name in INTEGER_CALLS:
            return Kind.INTEGER
        if name in TENSOR_METHODS:
            return Kind.TENSOR
        if name in ("format", "join", "strip", "lower", "upper"):
            return Kind.TEXT
        return Kind.UNKNOWN

    def _subscript(self, node: Node, depth: int) -> Kind:
        value = node.child_by_field_name("value")
        if value is not None and self.kind(value, depth) is Kind.TENSOR:
            return Kind.TENSOR
        return Kind.UNKNOWN

    def _binary(self, node: Node, depth: int) -> Kind:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return Kind.UNKNOWN
        kinds = {self.kind(left, depth), self.kind(right, depth)}
        if Kind.TENSOR in kinds:
            return Kind.TENSOR
        if Kind.TEXT in kinds:
            return Kind.TEXT
        return Kind.INTEGER if kinds == {Kind.INTEGER} else Kind.UNKNOWN

    def _unary(self, node: Node, depth: int) -> Kind:
        operand = node.child_by_field_name("argument")
        return self.kind(operand, depth) if operand is not None else Kind.UNKNOWN

    def _conditional(self, node: Node, depth: int) -> Kind:
        parts = [part for part in node.named_children if part.type != "comment"]
        return self._common((parts[0], parts[-1]), depth) if len(parts) == 3 else Kind.UNKNOWN

    def _either(self, node: Node, depth: int) -> Kind:
        return self._common(node.named_children, depth)

    def _common(self, nodes: Iterable[Node], depth: int) -> Kind:
        kinds = {self.kind(node, depth) for node in nodes} - {Kind.NONE}
        return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN

    def _named(self, node: Node, depth: int) -> Kind:
        value = node.child_by_field_name("value")
        return self.kind(value, depth) if value is not None else Kind.UNKNOWN


def is_module_class(qualified_name: str) -> bool:
    """Whether a class of that name is an ``nn.Module`` class, so far as its name alone tells."""
    if qualified_name in MODULE_BASES:
        return True
    module, _, last = qualified_name.rpartition(".")
    if not module.startswith("torch.nn") or module.startswith(("torch.nn.utils", "torch.nn.init")):
        return False
    return last[:1].isupper() and last not in ("Parameter", "UninitializedParameter", "Buffer")


def kind_of_call(qualified_name: str) -> Kind:
    """What a call of an imported name gives."""
    if is_module_class(qualified_name):
        return Kind.MODULE
    if qualified_name in ("torch.device", "torch.cuda.device"):
        return Kind.DEVICE
    if qualified_name.startswith("torch.optim."):
        return Kind.OPTIMIZER
    if qualified_name in ("torch.cuda.Stream", "torch.cuda.current_stream", "torch.cuda.default_stream"):
        return Kind.STREAM
    last = qualified_name.rpartition(".")[2]
    if last in INTEGER_CALLS:
        return Kind.INTEGER
    if qualified_name.startswith("torch.nn.functional.") or qualified_name == "torch.nn.Parameter":
        return Kind.TENSOR
    if qualified_name.count(".") == 1 and qualified_name.startswith("torch."):
        return Kind.UNKNOWN if last in NOT_TENSORS else Kind.TENSOR
    if qualified_name.startswith("torch.cuda.") and last.endswith("Tensor"):
        return Kind.TENSOR
    return Kind.UNKNOWN


def _is_self(target: Node) -> bool:
    receiver = target.child_by_field_name("object")
    return receiver is not None and text_of(receiver) == "self"
