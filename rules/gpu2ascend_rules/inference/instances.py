"""Of which of PyTorch's classes a value is an instance: on evidence that leaves no other reading.

Support lists speak of methods by their class. To say that ``x.to_dense()`` is not supported one must know
that ``x`` is a tensor; that the name looks like it is not enough. Where :mod:`.kinds` weighs what is
likely, this module answers only what the file proves: calls of PyTorch, annotations, parameters of
``forward``, what ``__init__`` keeps in ``self``, what a ``DataLoader`` yields. All bindings of a name must
agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..text.scopes import Binding, BindingKind
from ..text.syntax import arguments_of, enclosing, field, last_name, same, text_of, without_parentheses
from .annotations import annotated_class, name_in
from .class_definitions import ClassDefinitions
from .duck_typing import is_used_as_tensor
from .torch_classes import (
    DATA_LOADER,
    MODULE,
    TENSOR,
    attribute_of,
    gives_its_own_class,
    instance_made_by,
    is_module,
    is_tensor,
    item_of,
    items_of_tuple,
    result_of_call,
    result_of_method,
)

if TYPE_CHECKING:
    from ..text.source_file import SourceFile

MAX_DEPTH = 12
_PASS_THROUGH = frozenset({"tqdm", "enumerate", "iter", "reversed"})
"""Calls that yield what their first argument yields; ``enumerate`` with a number before it."""


class Instance(NamedTuple):
    """What is known of a value."""

    class_name: str
    """Qualified name of the class of PyTorch that it is an instance of; empty for anything else."""
    definition: Node | None = None
    """The file's own class that derives from it."""


NOT_TORCH = Instance("")
_PENDING = Instance("?")
"""A name that is being looked into: ``x = x.view(-1)`` is no evidence of its own."""
_A_TENSOR = Instance(TENSOR)
_LITERALS = frozenset(
    {
        "integer", "float", "string", "concatenated_string", "true", "false", "dictionary", "list", "tuple",
        "set", "list_comprehension", "dictionary_comprehension", "set_comprehension", "lambda",
        "generator_expression", "not_operator",
    }
)  # fmt: skip


class Instances:
    """Answers for one file; every answer is kept."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._known: dict[int, Instance | None] = {}
        self._names: dict[tuple[str, int], Instance | None] = {}
        self.classes = ClassDefinitions(source)

    def of(self, expression: Node) -> Instance | None:
        """What an expression's value is an instance of; None when the file does not prove it."""
        found = self._of(expression, 0)
        return None if found is _PENDING else found

    def _of(self, expression: Node, depth: int) -> Instance | None:
        node = without_parentheses(expression)
        if node.type in _LITERALS:
            return NOT_TORCH
        if node.type == "none":
            return _PENDING
        if depth > MAX_DEPTH:
            return None
        if node.id not in self._known:
            checkpoint()
            self._known[node.id] = _PENDING
            self._known[node.id] = self._read(node, depth + 1)
        return self._known[node.id]

    def _read(self, node: Node, depth: int) -> Instance | None:
        kind = node.type
        if kind == "identifier":
            return self._identifier(node, depth)
        if kind == "attribute":
            return self._attribute(node, depth)
        if kind == "call":
            return self._call(node, depth)
        if kind == "subscript":
            return self._item(field(node, "value"), depth)
        if kind in ("binary_operator", "comparison_operator", "unary_operator"):
            return self._operation(node, depth)
        if kind == "conditional_expression":
            parts = [part for part in node.named_children if part.type != "comment"]
            return self._agreed(self._of(part, depth) for part in (parts[0], parts[-1]))
        if kind == "named_expression":
            value = field(node, "value")
            return self._of(value, depth) if value is not None else None
        return None

    @staticmethod
    def _agreed(found: Iterable[Instance | None]) -> Instance | None:
        """What all evidence says; None as soon as one piece is missing or disagrees."""
        result: Instance | None = _PENDING
        for instance in found:
            if instance is _PENDING:
                continue
            if instance is None or (result is not _PENDING and instance != result):
                return None
            result = instance
        return result

    # -- names -------------------------------------------------------------------------------------

    def _identifier(self, node: Node, depth: int) -> Instance | None:
        name = text_of(node)
        if name in ("self", "cls"):
            return self._self(node) if name == "self" else None
        bindings = self._source.names.bindings_in_scope(name, node)
        if not bindings:
            return None
        key = (name, bindings[0].scope.id)
        if key not in self._names:
            self._names[key] = _PENDING
            self._names[key] = self._agreed(self._bound(binding, depth) for binding in bindings)
        return self._names[key]

    def _self(self, node: Node) -> Instance | None:
        owner = enclosing(node, "class_definition")
        base = self.classes.torch_base(owner) if owner is not None else None
        return Instance(base, owner) if base is not None else None

    def _bound(self, binding: Binding, depth: int) -> Instance | None:
        statement = binding.statement
        if binding.kind is BindingKind.ASSIGNMENT:
            return self._assigned(binding, depth)
        if binding.kind is BindingKind.PARAMETER:
            return self._parameter(binding, depth)
        if binding.kind is BindingKind.LOOP:
            return self._loop(binding, depth)
        if binding.kind is BindingKind.ANNOTATION:
            return self._annotated(field(statement, "type"))
        if statement.type == "augmented_assignment":
            return _PENDING
        return NOT_TORCH if binding.kind is BindingKind.DEFINITION else None

    def _assigned(self, binding: Binding, depth: int) -> Instance | None:
        annotated = self._annotated(field(binding.statement, "type"))
        if annotated is not None:
            return annotated
        if binding.value is not None:
            return self._of(binding.value, depth)
        left, right = field(binding.statement, "left"), field(binding.statement, "right")
        if left is None or right is None:
            return None
        index = next((i for i, item in enumerate(left.named_children) if same(item, binding.node)), None)
        if index is None or any("splat" in item.type for item in left.named_children):
            return None
        if right.type in ("expression_list", "tuple"):
            values = [item for item in right.named_children if item.type != "comment"]
            return self._of(values[index], depth) if len(values) == len(left.named_children) else None
        return self._unpacked(right, depth)

    def _unpacked(self, value: Node, depth: int) -> Instance | None:
        """Each of the things that an expression gives as a tuple."""
        if value.type != "call":
            return None
        function = field(value, "function")
        resolution = self._source.names.qualified_name(function) if function is not None else None
        if resolution is not None and resolution.qualified_name.startswith("torch."):
            name = items_of_tuple(resolution.qualified_name)
        else:
            owner = field(function, "object") if function is not None else None
            receiver = self._of(owner, depth) if owner is not None else None
            of_tensor = receiver is not None and is_tensor(receiver.class_name)
            name = items_of_tuple(last_name(value)) if of_tensor else None
        return Instance(name) if name is not None else None

    def _parameter(self, binding: Binding, depth: int) -> Instance | None:
        holder = binding.node.parent
        annotation = field(holder, "type") if holder is not None else None
        if annotation is not None:
            return self._annotated(annotation)
        if holder is None or "splat" in holder.type:
            return None
        if binding.value is not None and binding.value.type != "none":
            return self._of(binding.value, depth)
        function = enclosing(binding.node, "function_definition", "lambda")
        if function is None or not self.classes.is_forward(function):
            return None
        return self._used(binding, function)

    def _used(self, binding: Binding, scope: Node) -> Instance | None:
        """A value that is by convention a tensor, if everything that is done with it says so, too."""
        return _A_TENSOR if is_used_as_tensor(self._source, binding.name, scope) else None

    def _annotated(self, annotation: Node | None) -> Instance | None:
        if annotation is None:
            return None
        found = annotated_class(self._source, annotation)
        if found is not None:
            return Instance(found)
        definition = self.classes.definition_named(name_in(annotation), annotation)
        return self._of_own_class(definition) if definition is not None else None

    def _of_own_class(self, definition: Node) -> Instance | None:
        """An instance of a class that the file defines."""
        base = self.classes.torch_base(definition) if definition.type == "class_definition" else None
        return Instance(base, definition) if base is not None else None

    # -- loops -------------------------------------------------------------------------------------

    def _loop(self, binding: Binding, depth: int) -> Instance | None:
        iterable, target = field(binding.statement, "right"), field(binding.statement, "left")
        if iterable is None or target is None:
            return None
        place = _place_in(target, binding.node)
        while iterable.type == "call" and last_name(iterable) in _PASS_THROUGH:
            if last_name(iterable) == "enumerate":
                if place[:1] == (0,):
                    return NOT_TORCH
                place = place[1:]
            arguments = arguments_of(iterable).positional
            if not arguments:
                return None
            iterable = arguments[0].value
        return self._yielded(iterable, place, binding, depth)

    def _yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, depth: int
    ) -> Instance | None:
        if iterable.type == "call" and field(iterable, "function") is not None:
            by_method = self._yielded_by_method(iterable, place, depth)
            if by_method is not None:
                return by_method
        found = self._of(iterable, depth)
        if found is None or found is _PENDING:
            return None
        if found.class_name == DATA_LOADER:
            return self._used(binding, binding.scope) if place else None
        item = item_of(found.class_name) if not place else None
        return Instance(item) if item is not None else None

    def _yielded_by_method(self, call: Node, place: tuple[int, ...], depth: int) -> Instance | None:
        function = field(call, "function")
        owner = field(function, "object") if function is not None else None
        method = last_name(call).removeprefix("named_")
        if owner is None or method not in ("parameters", "buffers", "modules", "children"):
            return None
        receiver = self._of(owner, depth)
        is_named = last_name(call).startswith("named_")
        if receiver is None or not is_module(receiver.class_name) or place != ((1,) if is_named else ()):
            return None
        kinds = {"parameters": "torch.nn.Parameter", "buffers": TENSOR}
        return Instance(kinds.get(method, MODULE))

    # -- expressions -------------------------------------------------------------------------------

    def _attribute(self, node: Node, depth: int) -> Instance | None:
        identifier, owner = field(node, "attribute"), field(node, "object")
        if identifier is None or owner is None:
            return None
        name = text_of(identifier)
        if text_of(owner) == "self":
            annotated = self._annotated(self.classes.annotated_on_self(node, name))
            if annotated is not None:
                return annotated
            values = self.classes.assigned_to_self(node, name)
            if values:
                return self._agreed(self._of(value, depth) for value in values)
            if self.classes.is_buffer(node, name):
                return _A_TENSOR
        receiver = self._of(owner, depth)
        if receiver is None or receiver.definition is not None:
            return None
        found = attribute_of(receiver.class_name, name)
        return Instance(found) if found is not None else None

    def _call(self, node: Node, depth: int) -> Instance | None:
        function = field(node, "function")
        if function is None:
            return None
        resolution = self._source.names.qualified_name(function)
        if resolution is not None and resolution.qualified_name.startswith("torch."):
            asynchronous = arguments_of(node).keyword("async_op") is not None
            name = instance_made_by(resolution.qualified_name, is_asynchronous=asynchronous)
            return Instance(name) if name is not None else None
        if function.type == "identifier":
            return self._next(node, depth) or self._of_own_callable(function, depth)
        if function.type == "attribute":
            by_method = self._method(function, depth)
            if by_method is not None:
                return by_method
        return self._applied(function, depth)

    def _next(self, call: Node, depth: int) -> Instance | None:
        """What ``next(model.parameters())`` gives."""
        arguments = arguments_of(call).positional
        if last_name(call) != "next" or len(arguments) != 1 or arguments[0].value.type != "call":
            return None
        return self._yielded_by_method(arguments[0].value, (), depth)

    def _of_own_callable(self, function: Node, depth: int) -> Instance | None:
        definition = self.classes.definition_of(function)
        if definition is None:
            return self._applied(function, depth)
        if definition.type == "class_definition":
            return self._of_own_class(definition)
        return self._returned(definition, depth)

    def _returned(self, function: Node, depth: int) -> Instance | None:
        annotated = self._annotated(field(function, "return_type"))
        if annotated is not None:
            return annotated
        values = self.classes.returned_by(function)
        return self._agreed(self._of(value, depth) for value in values) if values else None

    def _method(self, function: Node, depth: int) -> Instance | None:
        identifier, owner = field(function, "attribute"), field(function, "object")
        receiver = self._of(owner, depth) if owner is not None else None
        if receiver is None or identifier is None:
            return None
        name = text_of(identifier)
        if (
            receiver is _PENDING
        ):  # ``x = x.cpu()`` leaves what x is; after ``x = x.numpy()`` it is another thing
            return _PENDING if gives_its_own_class(name) else None
        if receiver.definition is not None and self.classes.method(receiver.definition, name) is not None:
            return None
        result = result_of_method(receiver.class_name, name)
        if result is None:
            return None
        return receiver if result == receiver.class_name else Instance(result)

    def _applied(self, function: Node, depth: int) -> Instance | None:
        """What a layer gives that is called like a function."""
        layer = self._of(function, depth)
        if layer is None or layer is _PENDING:
            return layer
        if layer.definition is not None:
            forward = self.classes.method(layer.definition, "forward")
            return self._returned(forward, depth) if forward is not None else None
        result = result_of_call(layer.class_name)
        return Instance(result) if result is not None else None

    def _item(self, value: Node | None, depth: int) -> Instance | None:
        holder = self._of(value, depth) if value is not None else None
        if holder is _PENDING:
            return _PENDING
        item = item_of(holder.class_name) if holder is not None else None
        return Instance(item) if item is not None else None

    def _operation(self, node: Node, depth: int) -> Instance | None:
        """Arithmetic and comparisons with a tensor give a tensor; ``is`` and ``in`` do not."""
        if any(child.type in ("is", "is not", "in", "not in") for child in node.children):
            return NOT_TORCH
        operands = [self._of(child, depth) for child in node.named_children if child.type != "comment"]
        if any(found is not None and is_tensor(found.class_name) for found in operands):
            return _A_TENSOR
        if _PENDING in operands:
            return _PENDING  # what ``x`` is decides what ``x = x - y`` makes of it
        return None if None in operands else NOT_TORCH


def _place_in(target: Node, name: Node) -> tuple[int, ...]:
    """Where a name stands in the target of a loop: ``(1, 0)`` for ``x`` in ``for i, (x, y) in``."""
    if same(target, name):
        return ()
    for index, child in enumerate(target.named_children):
        if child.start_byte <= name.start_byte < child.end_byte:
            return (index, *_place_in(child, name))
    return ()
