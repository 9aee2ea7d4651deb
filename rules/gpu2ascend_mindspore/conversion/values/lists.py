"""The elements of lists and dictionaries, wherever the file makes and changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.walk.targets import drawn_by
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    call_of,
    field,
    is_assigned,
    is_field,
    last_name,
    parts_of,
    passed_to,
    text_of,
    value_given,
)
from gpu2ascend_rules.text.uses import assigned_value

from .callers import given_by_callers
from .kept import is_of_other_class, returned_by, unpacked_by

Reaching: TypeAlias = Callable[[Node], Sequence[Binding]]
"""The bindings that give a variable its value at a place."""
_Entries: TypeAlias = list[tuple[str, Node]]
_OF_DICTIONARIES = (("values", ()), ("items", (1,)))
_ANY = "*"
_HOLDERS = ("identifier", "call", "attribute")
_DISPLAYS = ("dictionary", "list", "list_comprehension")
_LISTS_OF_MODULES = frozenset({"torch.nn.ModuleList", "torch.nn.ModuleDict"})
_EITHER = ("boolean_operator", "conditional_expression")
_NAMING = frozenset(
    {"assignment", "augmented_assignment", "named_expression", "list", "tuple", "set", "pair", "yield"}
    | {"lambda", "default_parameter", "typed_default_parameter", "expression_list", "return_statement"}
)
"""Where a list gets another name, or leaves its function."""
_DEPTH = 6
"""How many functions, and variables of them, that hand on a list are looked into."""
_ADDING, _ASKING = ("append",), ("items", "keys", "values", "get", "index")
_READING = frozenset({"dict", "enumerate", "len", "list", "print", "reversed", "tuple", "zip"})


def given_by(context: Context, binding: Binding, reaching: Reaching) -> list[Node]:
    """What a binding gives: its value, or for a loop all elements of the list or dictionary it draws from."""
    if binding.statement.type == "augmented_assignment":
        return [binding.node]  # what it was before
    value = assigned_value(binding)
    if value is not None:
        return [value]
    drawn = drawn_by(binding) if binding.kind is BindingKind.LOOP else None
    if drawn is None or drawn.iterable is None:
        return []
    return _drawn(_Holders(context, reaching), drawn.iterable, drawn.place)


def _drawn(holders: _Holders, iterable: Node, place: tuple[int, ...]) -> list[Node]:
    """The elements that a loop gives a variable at a place of its target."""
    if iterable.type == "call" and last_name(iterable) == "zip" and place:
        zipped = arguments_of(iterable)
        one = zipped.at(place[0])
        if one is None or zipped.unpacked:
            return []
        iterable, place = one.value, place[1:]
    if iterable.type == "call" and (last_name(iterable), place) in _OF_DICTIONARIES:
        holder = field(field(iterable, "function"), "object")
        return holders.elements(holder) if holder is not None and holder.type in _HOLDERS else []
    return holders.elements(iterable) if not place else []


def picked_by(context: Context, subscript: Node, reaching: Reaching) -> list[Node]:
    """All that a list, or a dictionary under its key, is given; none where the file does not show it."""
    holder, key = field(subscript, "value"), field(subscript, "subscript")
    if holder is None or key is None or key.type == "slice" or holder.type not in _HOLDERS:
        return []
    found = _Holders(context, reaching).entries(holder) or []
    return [value for own, value in found if _key(key) == _ANY or own in (_key(key), _ANY)]


class _Holders:
    """The elements of lists and dictionaries, as far as the file shows who makes and changes them."""

    def __init__(self, context: Context, reaching: Reaching) -> None:
        self._context = context
        self._reaching = reaching

    def elements(self, holder: Node) -> list[Node]:
        """All elements that a list or a dictionary is given; none where the file does not show them."""
        return [value for _, value in self.entries(holder) or []]

    def entries(self, holder: Node, depth: int = _DEPTH) -> _Entries | None:
        """All elements of a list or a dictionary, each with its key; None where one is not shown."""
        if not depth:
            return None
        if holder.type == "call":
            made = returned_by(self._context, holder)
            return _joined(self.entries(one, depth - 1) for one in made) if made else None
        if holder.type == "attribute":
            wholes, uses = _kept_in_self(self._context, holder)
        elif holder.type == "identifier":
            bindings = self._reaching(holder)
            wholes, uses = self._wholes(bindings), self._uses(holder, bindings)
        else:
            return _written(holder)
        parts = [self.entries(one, depth - 1) for one in wholes]
        return _joined([*parts, *(self._added_by(use, depth) for use in uses)]) if parts else None

    def _wholes(self, bindings: Sequence[Binding]) -> Sequence[Node]:
        """What a variable is given that one statement makes, or every caller of its function."""
        if len(bindings) != 1:
            return ()
        (binding,) = bindings
        if binding.kind is BindingKind.PARAMETER:
            return given_by_callers(self._context.source, binding)
        value = assigned_value(binding)
        if value is None:
            return unpacked_by(self._context, binding, None)
        return () if value.type in ("identifier", "attribute") else (value,)

    def _uses(self, name: Node, bindings: Sequence[Binding]) -> list[Node]:
        """Where a variable is used as what the bindings give it."""
        ids = {one.node.id for one in bindings}
        every = self._context.source.identifiers(text_of(name))
        return [use for use in every if any(one.node.id in ids for one in self._reaching(use))]

    def _added_by(self, use: Node, depth: int) -> _Entries | None:
        """The elements that a use of a list or a dictionary adds; None where it may add others."""
        holder = parent_of(use)
        if holder is not None and holder.type == "attribute" and is_field(use, "object"):
            return _added_by_method(call_of(holder))
        if holder is not None and holder.type == "subscript" and is_field(use, "value"):
            if not is_assigned(holder):
                return []
            new = field(parent_of(holder), "right")
            return [(_key(field(holder, "subscript")), new)] if new is not None else None
        if passed_to(use) is None:
            return self._added_by_name(use, depth)
        if _only_reads(use):
            return []
        parameter = self._parameter_of(use) if depth else None
        if parameter is None:
            return None
        uses = self._uses(
            parameter, self._context.source.names.bindings_in_scope(text_of(parameter), parameter)[:1]
        )
        return _joined(self._added_by(one, depth - 1) for one in uses)

    def _added_by_name(self, use: Node, depth: int) -> _Entries | None:
        """The elements that another name of a list adds where a use gives it one; None where it may have
        one that is not followed."""
        node, holder = use, parent_of(use)
        while holder is not None and holder.type in ("parenthesized_expression", *_EITHER):
            node, holder = holder, parent_of(holder)
        if holder is None or holder.type not in _NAMING:
            return []
        if holder.type in ("return_statement", "expression_list"):
            return [] if self._is_own_result(use) else None
        if is_field(node, "left"):
            return [] if holder.type == "assignment" else None
        other = field(holder, "left") if holder.type == "assignment" and node.id == use.id else None
        return self._added_to(other, depth) if other is not None and other.type == "identifier" else None

    def _added_to(self, name: Node, depth: int) -> _Entries | None:
        """The elements that the uses of another name of a list add, from where it gets that name."""
        if not depth:
            return None
        every = self._context.source.names.bindings_in_scope(text_of(name), name)
        uses = self._uses(name, [one for one in every if one.node.id == name.id])
        return _joined(self._added_by(one, depth - 1) for one in uses)

    def _is_own_result(self, use: Node) -> bool:
        """Whether a function returns a list that it made: each call gives another one."""
        bindings = self._reaching(use)
        is_returned = self._context.source.enclosing(use, "return_statement") is not None
        return (
            is_returned
            and bool(bindings)
            and all(
                (value := assigned_value(one)) is not None
                and value.type not in ("identifier", "attribute", "subscript")
                and one.scope.type == "function_definition"
                for one in bindings
            )
        )

    def _parameter_of(self, use: Node) -> Node | None:
        """The parameter of a function of the file that takes an argument by its place, if no method."""
        passed = passed_to(use)
        function = field(passed.call, "function") if passed is not None else None
        if passed is None or function is None or function.type != "identifier":
            return None
        definition = self._context.instances.classes.definition_of(function)
        parameters = field(definition, "parameters") if definition is not None else None
        position = passed.argument.position
        if parameters is None or position is None or position >= len(parameters.named_children):
            return None
        parameter = parameters.named_children[position]
        return parameter if parameter.type == "identifier" else None


def _joined(parts: Iterable[_Entries | None]) -> _Entries | None:
    """The entries of all parts; None where one is not shown."""
    every = list(parts)
    known = [one for one in every if one is not None]
    return list(chain(*known)) if len(known) == len(every) else None


def _kept_in_self(context: Context, attribute: Node) -> tuple[Sequence[Node], Sequence[Node]]:
    """The display that an attribute of ``self`` is given, if nothing else is, and its uses in the file."""
    owner = context.source.enclosing(attribute, "class_definition")
    if not text_of(attribute).startswith("self.") or owner is None:
        return (), ()
    places = (parent_of(one) for one in context.source.identifiers(text_of(field(attribute, "attribute"))))
    every = [
        one
        for one in places
        if one is not None and one.type == "attribute" and not is_of_other_class(context, one, owner)
    ]
    given = [value_given(one) for one in every if is_assigned(one)]
    display = _display_in(context, given[0]) if len(given) == 1 and given[0] is not None else None
    return ((display,), [one for one in every if not is_assigned(one)]) if display is not None else ((), ())


def _display_in(context: Context, value: Node) -> Node | None:
    """A display, also as the argument of ``nn.ModuleList``; None for anything else."""
    if value.type == "call" and context.source.names.name_of(field(value, "function")) in _LISTS_OF_MODULES:
        arguments = arguments_of(value).items
        value = arguments[0].value if len(arguments) == 1 else value
    return value if value.type in _DISPLAYS else None


def _added_by_method(call: Node | None) -> _Entries | None:
    name = last_name(call) if call is not None else ""
    added = arguments_of(call).at(0) if call is not None and name in _ADDING else None
    return [("", added.value)] if added is not None else [] if name in _ASKING else None


def _written(value: Node) -> _Entries | None:
    """The elements that a display, or a comprehension, writes, each with its key; else None."""
    if value.type in ("list", "tuple"):
        return [("", one) for one in parts_of(value)]
    if value.type == "dictionary":
        pairs = [(_key(field(one, "key")), field(one, "value")) for one in parts_of(value)]
        known = [(key, one) for key, one in pairs if one is not None]
        return known if len(known) == len(pairs) else None
    return [("", one) for one in value.named_children[:1]] if value.type == "list_comprehension" else None


def _key(node: Node | None) -> str:
    """A key by its text; ``_ANY`` for one that is computed."""
    return text_of(node).strip("'\"") if node is not None and node.type == "string" else _ANY


def _only_reads(use: Node) -> bool:
    """Whether a variable is given to a function of Python's that leaves it as it is."""
    passed = passed_to(use)
    function = field(passed.call, "function") if passed is not None else None
    return text_of(function) in _READING
