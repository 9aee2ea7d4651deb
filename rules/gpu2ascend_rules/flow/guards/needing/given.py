"""Functions that are given to others, by an argument or by a decorator, and the parameters that take them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.parents import parent_of
from ....model.project.project_view import ProjectView
from ....text.scopes import BindingKind
from ....text.source_file import SourceFile
from ....text.syntax import (
    arguments_of,
    call_of,
    chain_from_root,
    enclosing,
    field,
    is_field,
    parts_of,
    passed_to,
    same,
    target_of,
    text_of,
)
from ....text.uses import uses_of_variable
from ...names.parameters import functions_in

OWN = ("self", "cls")


class Given(NamedTuple):
    """What a function is given."""

    function: str
    """Its name in its module; of a class, it is what makes an object."""
    place: int | str
    """The position or the name of the argument."""
    is_of_result: bool = False
    """Whether the function that it returns is given it: ``@choose(fallback)``."""


class Gift(NamedTuple):
    """A place at which something is given away."""

    to: Node
    """What is called."""
    place: int | str
    is_of_result: bool = False


def gift_of(use: Node) -> Gift | None:
    """The call that a name, or its ``apply``, is an argument of, or a choice between it and nothing."""
    whole = chain_from_root(use).node
    choice = parent_of(whole)
    if (
        choice is not None
        and choice.type == "conditional_expression"
        and not same(parts_of(choice)[1], whole)
    ):
        whole = choice
    passed = passed_to(whole)
    function = field(passed.call, "function") if passed is not None else None
    if passed is None or function is None or not same(passed.argument.value, whole):
        return None
    place = passed.argument.keyword or passed.argument.position
    return Gift(function, place) if place is not None else None


def decorations_of(definition: Node) -> Iterator[Gift]:
    """What decorates a function or class, and so is given it."""
    for decorator in decorators_of(definition):
        expression = decorator.named_children[0] if decorator.named_children else None
        if expression is None:
            continue
        function = field(expression, "function") if expression.type == "call" else None
        yield Gift(function or expression, 0, function is not None)


def decorators_of(definition: Node) -> list[Node]:
    """The decorators of a function or class."""
    holder = parent_of(definition)
    is_decorated = holder is not None and holder.type == "decorated_definition"
    if holder is None or not is_decorated:
        return []
    return [child for child in holder.named_children if child.type == "decorator"]


def _taking(definition: Node, place: int | str, *, is_of_result: bool) -> Node | None:
    """The parameter that takes an argument of a function, or of what makes an object of a class."""
    function: Node | None = definition
    if is_of_result:
        function = _returned(definition)
    elif definition.type == "class_definition":
        function = next((item for item in functions_in(definition) if _name(item) == "__init__"), None)
    holder = field(function, "parameters")
    names = [_parameter_name(item) for item in parts_of(holder)] if holder is not None else []
    if isinstance(place, str):
        return next((item for item in names if item is not None and text_of(item) == place), None)
    at = place + (definition.type == "class_definition" and not is_of_result)
    return names[at] if at < len(names) else None


def _parameter_name(parameter: Node) -> Node | None:
    if parameter.type == "identifier":
        return parameter
    name = field(parameter, "name")
    if name is None and parameter.type == "typed_parameter":
        name = parameter.named_children[0]
    return name if name is not None and name.type == "identifier" else None


def _returned(definition: Node) -> Node | None:
    """The function within another that it returns."""
    body = field(definition, "body")
    last = parts_of(body)[-1:] if body is not None else []
    value = last[0].named_children[:1] if last and last[0].type == "return_statement" else []
    return next(
        (item for item in functions_in(definition) if value and _name(item) == text_of(value[0])), None
    )


def _name(definition: Node) -> str:
    return text_of(field(definition, "name") or definition)


class Gifts:
    """What the functions of one file are given."""

    def __init__(self, source: SourceFile, project: ProjectView) -> None:
        self._source = source
        self._project = project

    def all(self, places: Iterable[int], definitions: Iterable[Node]) -> Iterator[Gift]:
        """To what the names at some places are given by arguments, and definitions as what is decorated."""
        for place in places:
            node = self._source.node_at(place, place + 1)
            gift = gift_of(node) if node is not None and node.type == "identifier" else None
            if gift is not None:
                yield gift
        for definition in definitions:
            yield from decorations_of(definition)

    def taking(self, places: Iterable[int], definitions: Iterable[Node]) -> Iterator[Node]:
        """The parameters of functions of the file that are given them."""
        for gift in self.all(places, definitions):
            taking = self.taking_in_file(gift)
            if taking is not None:
                yield taking

    def taking_in_file(self, gift: Gift) -> Node | None:
        """The parameter of a function or class of the file that takes a gift."""
        if gift.to.type != "identifier":
            return None
        bindings = self._source.names.bindings_in_scope(text_of(gift.to), gift.to)
        is_one = len(bindings) == 1 and bindings[0].kind is BindingKind.DEFINITION
        return _taking(bindings[0].statement, gift.place, is_of_result=gift.is_of_result) if is_one else None

    def taking_of(self, given: Given) -> Iterator[Node]:
        """The parameters that take what is given a function or class of the module."""
        for binding in self._source.names.bindings_in_scope(given.function, self._source.root):
            if binding.kind is BindingKind.DEFINITION:
                taking = _taking(binding.statement, given.place, is_of_result=given.is_of_result)
                if taking is not None:
                    yield taking

    def elsewhere(self, gift: Gift) -> tuple[str, Given] | None:
        """The module that has what is given something, and what that is."""
        resolution = self._source.names.qualified_name(gift.to)
        module, name = split_name(resolution.qualified_name) if resolution is not None else ("", "")
        return (module, Given(name, gift.place, gift.is_of_result)) if module else None

    def to_file(self, path: str, places: Iterable[int], definitions: Iterable[Node]) -> frozenset[Given]:
        """What is given to functions and classes of another file."""
        found: set[Given] = set()
        for gift in self.all(places, definitions):
            elsewhere = self.elsewhere(gift)
            if elsewhere and self._project.path_of_module(self._source.path, elsewhere[0]) == path:
                found.add(elsewhere[1])
        return frozenset(found)


def uses_of_parameter(parameter: Node, source: SourceFile) -> Iterator[Node]:
    """Where what a parameter takes is called, also by the attribute that keeps it."""
    for use in uses_of_variable(parameter, source):
        if call_of(chain_from_root(use).node) is not None:
            yield use
        target = target_of(use)
        if target is not None and is_field(use, "right") and target.type == "attribute":
            yield from (
                item for item in uses_of_target(target, source) if call_of(chain_from_root(item).node)
            )


def uses_of_name(target: Node, source: SourceFile) -> Iterator[Node]:
    """Where what an assignment gives a value is read: a variable, or an attribute of a class."""
    owner = enclosing(target, "class_definition", "function_definition")
    is_of_class = owner is not None and owner.type == "class_definition"
    name = field(target, "attribute") if target.type == "attribute" else target
    if target.type == "identifier" and not is_of_class:
        yield from uses_of_variable(target, source)
    owner = enclosing(target, "class_definition")
    if owner is None or name is None or (target.type == "identifier" and not is_of_class):
        return
    for word in source.identifiers_in(text_of(name), owner):
        read = parent_of(word)
        if read is not None and is_field(word, "attribute") and not same(read, target):
            yield read


def uses_of_target(target: Node, source: SourceFile) -> Iterator[Node]:
    """Where a variable is read, or an attribute of ``self`` in its class."""
    name = field(target, "attribute") if target.type == "attribute" else None
    owner = enclosing(target, "class_definition") if name is not None else None
    if name is None or owner is None:
        yield from uses_of_variable(target, source)
        return
    for word in source.identifiers_in(text_of(name), owner):
        read = parent_of(word)
        if is_field(word, "attribute") and read is not None and not same(read, target):
            yield from (item for item in read.named_children[:1] if text_of(item) in OWN)


def refers_to(value: Node, place: int) -> bool:
    """Whether a value is the name at a place, ``name.apply``, or ``partial(name)``."""
    if value.type in ("identifier", "attribute"):
        return value.start_byte == place
    if value.type != "call":
        return False
    return any(item.value.start_byte == place and item.value.type in ("identifier", "attribute")
        for item in arguments_of(value).items)  # fmt: skip


def split_name(target: str) -> tuple[str, str]:
    """The module and the name of what is imported: ``.ops`` and ``run`` of ``.ops.run``."""
    module, _, name = target.rpartition(".")
    return (module, name) if module.strip(".") else (target[: len(target) - len(name)], name)
