"""What a loop through a share of the data keeps: sums, lists, meters, and the loss of a batch."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tree_sitter import Node

from ....limits.below import nodes_below
from ....limits.parents import parent_of
from ....text.syntax import (
    COMPREHENSION_TYPES,
    arguments_of,
    enclosing,
    field,
    last_name,
    operator_of,
    text_of,
    without_parentheses,
)
from ...program import Place, function_around
from ..data.loops import with_callers
from ..job import Job
from ..places import below, head_of

_KEPT = ("identifier", "attribute", "subscript")
TAKEN = frozenset({"item", "detach", "cpu", "float", "mean", "numpy"})
"""What gives the number of a tensor, or a part of it in which it is linear."""
_UPDATES = frozenset({"update", "add", "add_value", "push"})
_NUMBERS = frozenset({"integer", "float"})
_CLOCK = ("time", "perf_counter")
_NO_NUMBERS = frozenset({"string", "concatenated_string", "list", "tuple", "dictionary", "set"})
_NOT_LINEAR = frozenset({"min", "max", "exp", "sqrt", "log", "pow"})


class Kept(enum.Enum):
    """What a name stands for after some rounds of a loop."""

    SUM = "sum"
    """A number that each batch adds to."""
    LIST = "list"
    """A figure of each batch."""
    METER = "meter"
    """An object of the project that adds up."""
    BATCH = "batch"
    """A figure of one batch, of which the mean is that of all: its loss."""
    PART = "part"
    """Another figure of one batch: a number of hits, a text with its loss."""
    HOLDER = "holder"
    """A dictionary in which there are sums."""
    VIEW = "view"
    """An object that has been given meters, to show them."""
    COUNT = "count"
    """A number that all processes add alike in each of their rounds: no figure of a share, but its size."""


_OF_BATCH = (Kept.BATCH, Kept.PART)
_OF_OBJECTS = (Kept.SUM, Kept.LIST, Kept.HOLDER)
_ADDING = ("augmented_assignment", "call", "assignment")
_TAKES = ("item", "float")
"""What makes a number of a tensor."""


def kept_by(job: Job, loop: Place) -> dict[str, Kept]:
    """What a loop keeps of its batches, by the names in its function."""
    found: dict[str, Kept] = {}
    for node in below(loop.node):
        if node.type in ("augmented_assignment", "assignment"):
            _add_sum(job, Place(loop.file, node), found)
        elif node.type == "call":
            _add_called(job, Place(loop.file, node), found)
    _add_elements(job, loop, found)
    _add_losses(job, loop, found)
    _add_of_batches(job, loop, found)
    _add_unknown_meters(loop, found)
    _add_views(loop, found)
    _add_counts(job, loop, found)
    return found


def kept_by_methods(job: Job, loop: Place) -> Iterator[tuple[Place, dict[str, Kept]]]:
    """What methods keep in their objects that a loop leads to, as callbacks do.

    What the loop itself gives values to is a meter, and that is looked at where the meter is.
    """
    for function, place in _methods_with_own(job):
        calls = [call for call in with_callers([place], job.program)[1:] if _is_inside(call, loop)]
        name = text_of(field(function.node, "name") or function.node)
        if calls and not any(last_name(call.node) == name and "self" not in call.text for call in calls):
            found = {**kept_by(job, function), **_stored_numbers(job, function)}
            kept = {name: item for name, item in found.items() if name.startswith("self.")}
            kept = {name: item for name, item in kept.items() if item in _OF_OBJECTS}
            yield from [(function, kept)] if kept else []


def _stored_numbers(job: Job, function: Place) -> dict[str, Kept]:
    """``self.logged[name] = (total + float(value), count + 1)``: what a method keeps by names."""
    found: dict[str, Kept] = {}
    for node in below(function.node):
        left, right = field(node, "left"), field(node, "right")
        if node.type != "assignment" or left is None or left.type != "subscript" or right is None:
            continue
        takes = any(item.type == "call" and last_name(item) in _TAKES for item in (right, *below(right)))
        if takes and not job.uniform.is_same(Place(function.file, right)):
            found[text_of(field(left, "value"))] = Kept.HOLDER
    return found


def _methods_with_own(job: Job) -> list[tuple[Place, Place]]:
    """The methods that may add to attributes of their objects, each with the first place where it may."""
    found: dict[tuple[str, int], tuple[Place, Place]] = {}
    for place in (place for kind in _ADDING for place in job.program.places(kind)):
        function, owner = function_around(place), enclosing(place.node, "class_definition")
        if function is not None and owner is not None and "self." in place.text[:120]:
            found.setdefault(function.key, (function, place))
    return list(found.values())


def _is_inside(call: Place, loop: Place) -> bool:
    outer = loop.node
    return call.file is loop.file and outer.start_byte <= call.node.start_byte < outer.end_byte


def loop_targets(loop: Node) -> set[str]:
    """The names that a loop gives values to: ``i``, ``x`` and ``y`` of ``for i, (x, y) in …``."""
    left = field(head_of(loop), "left")
    return (
        {text_of(item) for item in (left, *below(left)) if item.type in _KEPT} if left is not None else set()
    )


def _add_counts(job: Job, loop: Place, found: dict[str, Kept]) -> None:
    """What counts the rounds: ``n += 1``, and what is computed of a count, as ``step = epoch * size + i``."""
    counts = loop_targets(loop.node)
    for node in below(loop.node):
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None or left.type not in _KEPT or text_of(left) in found:
            continue
        names = {text_of(item) for item in (right, *below(right)) if item.type in _KEPT}
        adds = node.type == "augmented_assignment" and text_of(field(node, "operator") or node) == "+="
        is_computed = node.type == "assignment" and bool(names & (counts | {text_of(left)}))
        if (adds or is_computed) and job.uniform.is_same(Place(loop.file, right)):
            counts.add(text_of(left))
            found[text_of(left)] = Kept.COUNT


def _add_views(loop: Place, found: dict[str, Kept]) -> None:
    """``progress = ProgressMeter(len(loader), [losses, hits])``, before the loop."""
    scope = enclosing(loop.node, "function_definition") or loop.file.root
    for node in below(scope):
        left, right = field(node, "left"), field(node, "right")
        if node.type != "assignment" or left is None or right is None or node.end_byte > loop.node.start_byte:
            continue
        if right.type == "call" and any(found.get(name) is Kept.METER for name in _names_in(right)):
            found.setdefault(text_of(left), Kept.VIEW)


def _add_sum(job: Job, place: Place, found: dict[str, Kept]) -> None:
    left, right, operator = (field(place.node, name) for name in ("left", "right", "operator"))
    if left is None or right is None or left.type not in _KEPT:
        return
    adds = text_of(operator) == "+="
    grows = place.node.type == "assignment" and text_of(right).startswith(f"{text_of(left)} + ")
    if not (adds or grows) or job.uniform.is_same(Place(place.file, right)):
        return
    found[text_of(left)] = Kept.LIST if right.type == "list" else Kept.SUM
    if left.type == "subscript" and (holder := field(left, "value")) is not None:
        found.setdefault(text_of(holder), Kept.HOLDER)


def _add_elements(job: Job, loop: Place, found: dict[str, Kept]) -> None:
    """What a comprehension makes of each batch: ``[step(batch) for batch in loader]``."""
    body = field(loop.node, "body") if loop.node.type in COMPREHENSION_TYPES else None
    if body is not None and not job.uniform.is_same(Place(loop.file, field(body, "value") or body)):
        found[text_of(loop.node)] = Kept.LIST


def _add_called(job: Job, call: Place, found: dict[str, Kept]) -> None:
    receiver, method = _asked(call.node)
    arguments = arguments_of(call.node).items
    if receiver is None or receiver.type not in _KEPT or not arguments:
        return
    if method in ("append", "extend"):
        if not job.uniform.is_same(Place(call.file, arguments[0].value)):
            found[text_of(receiver)] = Kept.LIST
            if receiver.type == "subscript" and (holder := field(receiver, "value")) is not None:
                found.setdefault(text_of(holder), Kept.HOLDER)
    elif any(word in text_of(arguments[0].value) for word in _CLOCK):
        return
    elif is_meter(job, Place(call.file, receiver), method):
        found[text_of(receiver)] = Kept.METER


def _asked(call: Node) -> tuple[Node | None, str]:
    """The object of which a call calls a method, and the method; an object that is called has one, too."""
    function = field(call, "function")
    if function is not None and function.type == "attribute":
        return field(function, "object"), text_of(field(function, "attribute"))
    return function, "__call__"


def is_meter(job: Job, receiver: Place, method: str) -> bool:
    """Whether a method of an object adds what it is given to the object's own figures."""
    owner = job.program.class_of(receiver)
    definition = job.program.method(owner, method) if owner is not None else None
    if owner is None or definition is None or receiver.text == "self":
        return False
    return any(
        node.type == "augmented_assignment"
        and (left := field(node, "left")) is not None
        and text_of(left).startswith("self.")
        and not job.uniform.is_same(Place(definition.file, field(node, "right") or node))
        for node in below(definition.node)
    )


def mean_members(job: Job, receiver: Place) -> frozenset[str]:
    """The attributes and methods of a meter that are quotients of its figures, and its latest value."""
    owner = job.program.class_of(receiver)
    names: set[str] = set()
    for item in job.program.family(owner) if owner is not None else ():
        for node in nodes_below(item.node):
            if node.type == "assignment" and (left := field(node, "left")) is not None:
                right = field(node, "right")
                if text_of(left).startswith("self.") and right is not None and _is_quotient(right):
                    names.add(text_of(left).removeprefix("self."))
            elif node.type == "return_statement" and node.named_children:
                function = enclosing(node, "function_definition")
                name = field(function, "name")
                if name is not None and _is_quotient(node.named_children[0]):
                    names.add(text_of(name))
    return frozenset(names | {"val"}) - {"__str__", "__repr__"}


def _is_quotient(node: Node) -> bool:
    inner = without_parentheses(node)
    if inner.type == "conditional_expression":
        return any(_is_quotient(child) for child in inner.named_children)
    return inner.type == "binary_operator" and operator_of(inner) == "/"


def _add_losses(job: Job, loop: Place, found: dict[str, Kept]) -> None:
    """The losses: what ``backward`` is called of, its terms, and the numbers that are taken of them."""
    assigned = _assigned(loop.node)
    losses = {name for name in _led_back(loop.node) if name in assigned}
    terms = {term for name in losses for term in _terms(assigned[name]) if term in assigned}
    losses |= {term for term in terms if not job.uniform.is_same(Place(loop.file, assigned[term]))}
    losses |= {name for name, value in assigned.items() if taken_of(value) in losses}
    for name in losses:
        found.setdefault(name, Kept.BATCH)


def _assigned(loop: Node) -> dict[str, Node]:
    """The last value that each variable and attribute gets in a loop, that of all for one of several."""
    assigned: dict[str, Node] = {}
    for node in below(loop):
        left = field(node, "left") if node.type == "assignment" else None
        right = field(node, "right")
        if left is not None and right is not None:
            several = left.named_children if left.type in ("pattern_list", "tuple_pattern") else [left]
            names = (text_of(one) for one in several if one.type in ("identifier", "attribute"))
            assigned.update(dict.fromkeys(names, right))
    return assigned


def _led_back(loop: Node) -> Iterator[str]:
    """The texts of what ``backward`` is called of, in whole and in part."""
    for node in below(loop):
        if node.type == "call" and last_name(node) == "backward":
            receiver = field(field(node, "function"), "object")
            if receiver is not None:
                yield from (text_of(item) for item in (receiver, *below(receiver)))


def _terms(value: Node) -> Iterator[str]:
    """The names that a loss is a sum of: ``fit + 0.1 * penalty``."""
    value = without_parentheses(value)
    if value.type in ("identifier", "attribute"):
        yield text_of(value)
    elif value.type == "binary_operator" and operator_of(value) in ("+", "-"):
        for operand in value.named_children:
            yield from _terms(operand)
    elif value.type == "binary_operator" and operator_of(value) == "*":
        factors = [item for item in value.named_children if item.type not in _NUMBERS]
        yield from _terms(factors[0]) if len(factors) == 1 else ()


def _add_of_batches(job: Job, loop: Place, found: dict[str, Kept]) -> None:
    """What is computed of the losses and of the batches: ``err = loss + penalty``, an accuracy."""
    of_data = loop_targets(loop.node)
    for node in below(loop.node):
        left, right = field(node, "left"), field(node, "right")
        if node.type != "assignment" or left is None or right is None:
            continue
        names = _names_in(right)
        if names & of_data:
            of_data |= _names_in(left)
        if left.type in ("identifier", "attribute") and text_of(left) not in found:
            kept = _of_batch(right, of_losses=any(found.get(name) in _OF_BATCH for name in names))
            if kept is None and names & of_data:
                kept = _number_of_batch(right)
            if kept is not None and not job.uniform.is_same(Place(loop.file, right)):
                found[text_of(left)] = kept


def _number_of_batch(value: Node) -> Kept | None:
    """What a number that is taken of a batch is, or the mean that one is taken of later."""
    if _is_mean(value):
        return Kept.BATCH
    return Kept.PART if last_name(value) == "item" else None


def _of_batch(value: Node, *, of_losses: bool) -> Kept | None:
    """What an expression with losses makes of them; also one with numbers of tensors that mixes them."""
    mixed = [value, *(value.named_children if value.type == "conditional_expression" else ())]
    is_mixed = any(item.type == "binary_operator" for item in map(without_parentheses, mixed))
    if any(item.type in _NO_NUMBERS for item in (value, *below(value))):
        return Kept.PART if of_losses else None
    if is_mixed and (of_losses or ".item()" in text_of(value)):
        return Kept.BATCH
    return Kept.PART if of_losses and value.type == "call" and last_name(value) in _NOT_LINEAR else None


def _is_mean(value: Node) -> bool:
    """``(out.argmax(1) == y).float().mean().item()``, over all that a tensor holds."""
    node: Node | None = without_parentheses(value)
    while node is not None and node.type == "call" and last_name(node) in TAKEN:
        if last_name(node) == "mean":
            return not arguments_of(node).items
        node = field(field(node, "function"), "object")
    return False


def _names_in(node: Node) -> set[str]:
    """The names that an expression looks at, without those of attributes by themselves."""
    return {
        text_of(item)
        for item in (node, *below(node))
        if item.type in _KEPT and field(parent_of(item), "attribute") != item
    }


def _add_unknown_meters(loop: Place, found: dict[str, Kept]) -> None:
    """Objects that are given the loss of each batch, of classes that are not known: ``meters["loss"]``."""
    for node in below(loop.node):
        receiver, method = _asked(node) if node.type == "call" else (None, "")
        is_update = method in _UPDATES or (method == "__call__" and _is_statement(node))
        if receiver is None or receiver.type not in _KEPT or not is_update:
            continue
        given = field(node, "arguments")
        if given is None or text_of(receiver) in found:
            continue
        if any(found.get(text_of(item)) is Kept.BATCH for item in below(given)):
            found[text_of(receiver)] = Kept.METER
            if receiver.type == "subscript" and (holder := field(receiver, "value")) is not None:
                found.setdefault(text_of(holder), Kept.HOLDER)


def _is_statement(call: Node) -> bool:
    """Whether a call of an element is a statement: ``meters["loss"](loss, size)``."""
    parent, function = parent_of(call), field(call, "function")
    is_element = function is not None and function.type == "subscript"
    return is_element and parent is not None and parent.type == "expression_statement"


def taken_of(node: Node) -> str:
    """What the number of a tensor is taken of: ``loss`` for ``loss.detach().item()`` and ``float(loss)``."""
    node = without_parentheses(node)
    while node.type == "call" and last_name(node) in TAKEN:
        function = field(node, "function")
        if function is not None and function.type == "attribute":
            inner = field(function, "object")
        else:
            items = arguments_of(node).items
            inner = items[0].value if items else None
        if inner is None:
            break
        node = without_parentheses(inner)
    return text_of(node) if node.type in ("identifier", "attribute") else ""
