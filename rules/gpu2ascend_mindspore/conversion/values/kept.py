"""What attributes of the file's own classes are given, and variables that a loop draws from a list."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.instances import Instance
from gpu2ascend_rules.inference.walk.targets import drawn_by
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    call_of,
    field,
    is_field,
    last_name,
    parts_of,
    passed_to,
    text_of,
)

_OF_DICTIONARIES = (("values", ()), ("items", (1,)))
_ADDING, _ASKING = ("append",), ("items", "keys", "values", "get", "index")
_READING = frozenset({"dict", "enumerate", "len", "list", "print", "reversed", "tuple", "zip"})


def values_kept(context: Context, owner: Instance | None, attribute: Node) -> list[Node]:
    """All values that the file gives an attribute of an object; none where one is not shown."""
    name = text_of(field(attribute, "attribute"))
    if owner is None or owner.definition is None:
        return []
    if not context.instances.classes.assigned_in(owner.definition, name):
        return []
    values: list[Node] = []
    for identifier in context.source.identifiers(name):
        target = parent_of(identifier)
        if target is None or target.type != "attribute" or not is_field(target, "left"):
            continue
        value = field(parent_of(target), "right")
        if value is None:
            return []
        values.append(value)
    return values


def given_by(context: Context, binding: Binding) -> list[Node]:
    """What a binding gives: its value, or for a loop all elements of the list or dictionary it draws from."""
    if binding.value is not None:
        return [binding.value]
    drawn = drawn_by(binding) if binding.kind is BindingKind.LOOP else None
    if drawn is None or drawn.iterable is None:
        return []
    iterable, place = drawn.iterable, drawn.place
    if iterable.type == "call" and last_name(iterable) == "zip" and place:
        zipped = arguments_of(iterable)
        one = zipped.at(place[0])
        if one is None or zipped.unpacked:
            return []
        iterable, place = one.value, place[1:]
    if iterable.type == "call" and (last_name(iterable), place) in _OF_DICTIONARIES:
        holder = field(field(iterable, "function"), "object")
        return _elements(context, holder) if holder is not None and holder.type == "identifier" else []
    return _elements(context, iterable) if not place else []


def _elements(context: Context, holder: Node) -> list[Node]:
    """All elements that a list or a dictionary is given; none where the file does not show them."""
    if holder.type != "identifier":
        return _written(holder)
    bindings = context.source.names.bindings_in_scope(text_of(holder), holder)
    value = bindings[0].value if len(bindings) == 1 else None
    found = _written(value) if value is not None else []
    for use in context.source.identifiers(text_of(holder)):
        more = _added_by(use)
        if more is None:
            return []
        found += more
    return found


def _added_by(use: Node) -> list[Node] | None:
    """The elements that a use of a list or a dictionary adds; None where it may add others."""
    holder = parent_of(use)
    if holder is not None and holder.type == "attribute" and is_field(use, "object"):
        call = call_of(holder)
        name = last_name(call) if call is not None else ""
        added = arguments_of(call).at(0) if call is not None and name in _ADDING else None
        return [added.value] if added is not None else [] if name in _ASKING else None
    if holder is not None and holder.type == "subscript" and is_field(holder, "left"):
        new = field(parent_of(holder), "right")
        return [new] if new is not None else None
    return [] if passed_to(use) is None or _only_reads(use) else None


def _written(value: Node) -> list[Node]:
    """The elements that a display, or a comprehension, writes."""
    if value.type in ("list", "tuple"):
        return parts_of(value)
    if value.type == "dictionary":
        pairs = [field(one, "value") for one in parts_of(value)]
        return [one for one in pairs if one is not None] if None not in pairs else []
    return value.named_children[:1] if value.type == "list_comprehension" else []


def _only_reads(use: Node) -> bool:
    """Whether a variable is given to a function of Python's that leaves it as it is."""
    passed = passed_to(use)
    function = field(passed.call, "function") if passed is not None else None
    return text_of(function) in _READING
