"""What attributes of the file's own classes are given, and variables that a loop draws from a list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.inference.instances import Instance
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

_OF_DICTIONARIES = (("values", ()), ("items", (1,)))
_ANY = "*"
_HOLDERS = ("identifier", "call", "attribute")
_DISPLAYS = ("dictionary", "list", "list_comprehension")
_DEPTH = 3
"""How many functions that give a dictionary of each other are looked into."""
_ADDING, _ASKING = ("append",), ("items", "keys", "values", "get", "index")
_READING = frozenset({"dict", "enumerate", "len", "list", "print", "reversed", "tuple", "zip"})


def own_object(context: Context, call: Node) -> Instance | None:
    """The object that a call of a class of the file makes, which derives from nothing; else None."""
    function = field(call, "function")
    if function is None or function.type != "identifier":
        return None
    made = [one.statement for one in context.source.names.bindings(text_of(function))]
    is_plain = len(made) == 1 and made[0].type == "class_definition"
    bases = field(made[0], "superclasses") if is_plain else None
    is_own = is_plain and (bases is None or text_of(bases) in ("()", "(object)"))
    return Instance("", made[0]) if is_own else None


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
        if target is None or target.type != "attribute" or not is_assigned(target):
            continue
        if _is_of_other_class(context, target, owner.definition):
            continue
        value = value_given(target)
        if value is None:
            return []
        values.append(value)
    return values


def _is_of_other_class(context: Context, attribute: Node, definition: Node) -> bool:
    """Whether an attribute is one of ``self`` in a class that neither derives from one nor is its base."""
    holder = context.source.enclosing(attribute, "class_definition")
    if text_of(field(attribute, "object")) != "self" or holder is None:
        return False
    classes = context.instances.classes
    return not (classes.derives(holder, definition) or classes.derives(definition, holder))


def given_by(context: Context, binding: Binding) -> list[Node]:
    """What a binding gives: its value, or for a loop all elements of the list or dictionary it draws from."""
    if binding.statement.type == "augmented_assignment":
        return [binding.node]  # what it was before
    value = assigned_value(binding)
    if value is not None:
        return [value]
    drawn = drawn_by(binding) if binding.kind is BindingKind.LOOP else None
    return _drawn(context, drawn.iterable, drawn.place) if drawn is not None and drawn.iterable else []


def _drawn(context: Context, iterable: Node, place: tuple[int, ...]) -> list[Node]:
    """The elements that a loop gives a variable at a place of its target."""
    if iterable.type == "call" and last_name(iterable) == "zip" and place:
        zipped = arguments_of(iterable)
        one = zipped.at(place[0])
        if one is None or zipped.unpacked:
            return []
        iterable, place = one.value, place[1:]
    if iterable.type == "call" and (last_name(iterable), place) in _OF_DICTIONARIES:
        holder = field(field(iterable, "function"), "object")
        return _elements(context, holder) if holder is not None and holder.type in _HOLDERS else []
    return _elements(context, iterable) if not place else []


def picked_by(context: Context, subscript: Node) -> list[Node]:
    """All that a list, or a dictionary under its key, is given; none where the file does not show it."""
    holder, key = field(subscript, "value"), field(subscript, "subscript")
    if holder is None or key is None or key.type == "slice" or holder.type not in _HOLDERS:
        return []
    return [
        value for own, value in _entries(context, holder) if _key(key) == _ANY or own in (_key(key), _ANY)
    ]


def returned_by(
    context: Context, call: Node, owner: Instance | None = None, called: Instance | None = None
) -> list[Node]:
    """What a function, a method of an object, or a module that the file defines returns."""
    function = field(call, "function")
    found = called_by(context, function, owner, called) if function is not None else None
    return context.instances.classes.returned_by(found) if found is not None else []


def called_by(
    context: Context, function: Node, owner: Instance | None, called: Instance | None
) -> Node | None:
    """The function, method or ``forward`` of the file that a call calls."""
    classes, called = context.instances.classes, called or context.instances.of(function)
    if called is not None and called.definition is not None and is_module(called.class_name):
        return classes.method(called.definition, "forward")
    if function.type != "attribute":
        return classes.definition_of(function) if function.type == "identifier" else None
    receiver, name = function.named_children[0], text_of(field(function, "attribute"))
    owner = owner or context.instances.of(receiver)
    of_class = owner.definition if owner is not None else None
    if text_of(receiver) == "self":
        of_class = of_class or context.source.enclosing(function, "class_definition")
    return classes.method(of_class, name) if of_class is not None else None


def unpacked_by(context: Context, binding: Binding, called: Instance | None) -> list[Node]:
    """What a binding gets of the tuples that a function, a method or a module of the file returns."""
    target, value = field(binding.statement, "left"), field(binding.statement, "right")
    if target is None or value is None or value.type != "call":
        return []
    at = next((place for place, one in enumerate(target.named_children) if one.id == binding.node.id), -1)
    returned = returned_by(context, value, called=called)
    several = [parts_of(one) for one in returned if one.type in ("tuple", "expression_list")]
    is_known = at >= 0 and len(several) == len(returned)
    return [one[at] for one in several] if is_known and all(at < len(one) for one in several) else []


def _elements(context: Context, holder: Node) -> list[Node]:
    """All elements that a list or a dictionary is given; none where the file does not show them."""
    return [value for _, value in _entries(context, holder)]


def _entries(context: Context, holder: Node, depth: int = _DEPTH) -> list[tuple[str, Node]]:
    """All elements that a list or a dictionary is given, each with its key; none where one is not shown."""
    if holder.type == "call":
        several = [_entries(context, one, depth - 1) for one in returned_by(context, holder) if depth]
        return list(chain(*several)) if all(several) else []
    if holder.type == "attribute":
        value, uses = _kept_in_self(context, holder)
    elif holder.type == "identifier":
        bindings = context.source.names.bindings_in_scope(text_of(holder), holder)
        value, uses = bindings[0].value if len(bindings) == 1 else None, _uses(context, bindings)
    else:
        return _written(holder)
    is_made = value is not None and value.type not in ("identifier", "attribute")
    found = _entries(context, value, depth) if value is not None and is_made else []
    added = [_added_by(use) for use in uses]
    known = [some for some in added if some is not None]
    return list(chain(found, *known)) if len(known) == len(added) else []


def _kept_in_self(context: Context, attribute: Node) -> tuple[Node | None, list[Node]]:
    """The display that an attribute of ``self`` is given, if nothing else is, and its uses in the file."""
    name = field(attribute, "attribute")
    places = (parent_of(one) for one in context.source.identifiers(text_of(name)))
    every = [one for one in places if one is not None and one.type == "attribute"]
    given = [value_given(one) for one in every if is_assigned(one)]
    value = given[0] if len(given) == 1 else None
    is_own = text_of(attribute).startswith("self.") and value is not None and value.type in _DISPLAYS
    return (value, [one for one in every if not is_assigned(one)]) if is_own else (None, [])


def _uses(context: Context, bindings: Sequence[Binding]) -> list[Node]:
    """Where a variable is used, by what binds it."""
    names, ids = context.source.names, {one.node.id for one in bindings}
    every = context.source.identifiers(bindings[0].name) if bindings else ()
    return [
        use for use in every if any(one.node.id in ids for one in names.bindings_in_scope(text_of(use), use))
    ]


def _added_by(use: Node) -> list[tuple[str, Node]] | None:
    """The elements that a use of a list or a dictionary adds; None where it may add others."""
    holder = parent_of(use)
    if holder is not None and holder.type == "attribute" and is_field(use, "object"):
        return _added_by_method(call_of(holder))
    if holder is not None and holder.type == "subscript" and is_field(use, "value"):
        new = field(parent_of(holder), "right") if is_assigned(holder) else None
        return [(_key(field(holder, "subscript")), new)] if new is not None else []
    return [] if passed_to(use) is None or _only_reads(use) else None


def _added_by_method(call: Node | None) -> list[tuple[str, Node]] | None:
    name = last_name(call) if call is not None else ""
    added = arguments_of(call).at(0) if call is not None and name in _ADDING else None
    return [("", added.value)] if added is not None else [] if name in _ASKING else None


def _written(value: Node) -> list[tuple[str, Node]]:
    """The elements that a display, or a comprehension, writes, each with its key."""
    if value.type in ("list", "tuple"):
        return [("", one) for one in parts_of(value)]
    if value.type == "dictionary":
        pairs = [(_key(field(one, "key")), field(one, "value")) for one in parts_of(value)]
        known = [(key, one) for key, one in pairs if one is not None]
        return known if len(known) == len(pairs) else []
    return [("", one) for one in value.named_children[:1]] if value.type == "list_comprehension" else []


def _key(node: Node | None) -> str:
    """A key by its text; ``_ANY`` for one that is computed."""
    return text_of(node).strip("'\"") if node is not None and node.type == "string" else _ANY


def _only_reads(use: Node) -> bool:
    """Whether a variable is given to a function of Python's that leaves it as it is."""
    passed = passed_to(use)
    function = field(passed.call, "function") if passed is not None else None
    return text_of(function) in _READING
