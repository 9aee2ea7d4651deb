"""How the files of a program pass values to each other: arguments, return values, attributes, imports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic

from tree_sitter import Node

from ..flow.names.parameters import is_property, parameter_named, parameter_of, parameters_of
from ..inference.walk.reading import Placed, V, Walk
from ..inference.walk.targets import values_returned
from ..limits.parents import parent_of, parent_type
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import arguments_of, enclosing, field, text_of, without_parentheses
from .program import Place, Program

_RESTS = ("list_splat_pattern", "dictionary_splat_pattern")


class Passing(Generic[V]):
    """Lets a walk go on in the other files of a program; the one behind ``Others``."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def settled(self, source: SourceFile, node: Node) -> V | None:
        """What an expression is without being followed."""
        return None

    def places_of(self, found: V) -> tuple[Place, ...]:
        """The places in what a walk has found."""
        raise NotImplementedError

    def imported(self, source: SourceFile, binding: Binding) -> Iterator[Place]:
        """What an imported name is given in the module that it comes from."""
        found = self._program.global_binding(source, binding.target)
        if found is not None and found[1].value is not None:
            yield Place(found[0], found[1].value)

    def passed(self, source: SourceFile, binding: Binding) -> Iterator[Place]:
        """The arguments that calls in the program give for a parameter; all of them for ``*args``."""
        function = enclosing(binding.node, "function_definition", "lambda")
        if function is None:
            return
        owner, is_rest = Place(source, function), parent_type(binding.node) in _RESTS
        for call in self._program.calls_of(owner):
            every = field(call.node, "arguments") if is_rest else None
            if every is not None:
                yield Place(call.file, every)
                continue
            argument = argument_for(owner, binding.name, call)
            if argument is not None:
                yield argument

    def unpacked(self, source: SourceFile, binding: Binding, walk: Walk[V], depth: int) -> Iterator[Place]:
        """What a name gets of several things that are assigned at once."""
        left, right = field(binding.statement, "left"), field(binding.statement, "right")
        if left is None or right is None:
            return
        starts = [item.start_byte for item in left.named_children]
        if binding.node.start_byte in starts:
            index = starts.index(binding.node.start_byte)
            yield from self._element(Place(source, right), index, walk, depth)

    def _element(self, value: Place, index: int, walk: Walk[V], depth: int) -> Iterator[Place]:
        """One of the values that are assigned together."""
        node = without_parentheses(value.node)
        place = Place(value.file, node)
        is_followed = node.type == "identifier" or (
            node.type == "call" and self._program.callee(place) is not None
        )
        for origin in self.places_of(walk.at(place, depth)) if is_followed else (place,):
            held = origin.node
            if held.type in ("expression_list", "tuple", "list") and index < len(held.named_children):
                yield Place(origin.file, held.named_children[index])

    def members(self, source: SourceFile, node: Node, walk: Walk[V], depth: int) -> Iterator[Place]:
        """What an attribute is given: in its class and the bases of that, and from outside."""
        receiver, name = field(node, "object"), field(node, "attribute")
        if receiver is None or name is None:
            return
        known = self._program.class_of(Place(source, receiver))
        owners = (known,) if known is not None else tuple(self._owners(receiver, walk, depth))
        for owner in owners:
            yield from self._kept(owner, text_of(name), walk, depth)
        yield from self._set_from_outside(source, node)

    def _owners(self, receiver: Node, walk: Walk[V], depth: int) -> Iterator[Place]:
        """The classes of what a parameter is given, or what a function returned."""
        for origin in self.places_of(walk.of(receiver, depth)):
            owner = self._program.class_of(origin)
            if owner is not None:
                yield owner

    def _kept(self, owner: Place, name: str, walk: Walk[V], depth: int) -> Iterator[Place]:
        for item in self._program.family(owner):
            yield from self._assigned_to_self(item, name, walk, depth)
            method = self._program.method(item, name)
            if method is not None and is_property(method.node):
                yield from self.returned(method)

    def _assigned_to_self(self, owner: Place, name: str, walk: Walk[V], depth: int) -> Iterator[Place]:
        """What the methods of a class assign to ``self.<name>``."""
        for assignment in self._program.nodes(owner.file, "assignment"):
            left, right = field(assignment, "left"), field(assignment, "right")
            if left is None or right is None or enclosing(assignment, "class_definition") != owner.node:
                continue
            if left.type == "attribute" and text_of(left) == f"self.{name}":
                yield Place(owner.file, right)
            elif left.type in ("pattern_list", "tuple_pattern"):
                for index, item in enumerate(left.named_children):
                    if text_of(item) == f"self.{name}":
                        yield from self._element(Place(owner.file, right), index, walk, depth)

    def _set_from_outside(self, source: SourceFile, node: Node) -> Iterator[Place]:
        """``trainer.model = …`` in the same file."""
        written = text_of(node)
        for assignment in self._program.nodes(source, "assignment"):
            left, right = field(assignment, "left"), field(assignment, "right")
            if left is None or right is None or left.type != "attribute":
                continue
            if not text_of(left).startswith("self.") and text_of(left) == written:
                yield Place(source, right)

    def callees(self, source: SourceFile, call: Node, walk: Walk[V], depth: int) -> Iterator[Place]:
        """The functions or classes that a call calls, methods of what a name is given included."""
        callee = self._program.callee(Place(source, call))
        receiver, name = (field(field(call, "function"), part) for part in ("object", "attribute"))
        if callee is not None:
            yield callee
        elif receiver is not None and text_of(name) in self._program.methods:
            owners = self._owners(receiver, walk, depth)
            found = (self._program.method(owner, text_of(name)) for owner in owners)
            yield from (method for method in found if method is not None)

    def returned(self, function: Placed) -> Iterator[Place]:
        """What a function returns."""
        if function.node.type == "function_definition":
            yield from (Place(function.file, value) for value in values_returned(function.node))
        elif function.node.type == "lambda" and (body := field(function.node, "body")) is not None:
            yield Place(function.file, body)


def argument_for(function: Place, parameter: str, call: Place) -> Place | None:
    """What a call gives for a parameter of the function that it calls."""
    is_method = enclosing(function.node, "class_definition") is not None
    is_bound = is_method and parameter_names(function.node)[:1] in (["self"], ["cls"])
    for argument in arguments_of(call.node).items:
        place = argument.position if argument.keyword is None else argument.keyword
        name = parameter_of(function.node, place, bound=is_bound) if place is not None else None
        if argument.keyword == parameter or (name is not None and text_of(name) == parameter):
            return Place(call.file, argument.value)
    return None


def parameter_names(function: Node) -> list[str]:
    """The parameters of a function, by name."""
    return [text_of(name) for name, _ in parameters_of(function) if name is not None]


def parameter_default(function: Node, parameter: str) -> Node | None:
    """The default of a parameter."""
    name = parameter_named(function, parameter)
    return field(parent_of(name), "value") if name is not None else None
