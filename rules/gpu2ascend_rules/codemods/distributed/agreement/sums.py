"""What a loop through a share of the data keeps: sums, lists, meters, and the loss of a batch."""

from __future__ import annotations

import enum

from tree_sitter import Node

from ....limits.below import nodes_below
from ....text.syntax import arguments_of, enclosing, field, last_name, text_of, without_parentheses
from ...program import Place
from ..job import Job
from ..places import below

_KEPT = ("identifier", "attribute", "subscript")
_TAKEN = frozenset({"item", "detach", "cpu", "float", "mean", "numpy"})
_UPDATES = frozenset({"update", "add", "add_value", "push"})
_CLOCK = ("time", "perf_counter")


class Kept(enum.Enum):
    """What a name stands for after some rounds of a loop."""

    SUM = "sum"
    """A number that each batch adds to."""
    LIST = "list"
    """A figure of each batch."""
    METER = "meter"
    """An object of the project that adds up."""
    BATCH = "batch"
    """A figure of one batch: its loss."""
    HOLDER = "holder"
    """A dictionary in which there are sums."""


def kept_by(job: Job, loop: Place) -> dict[str, Kept]:
    """What a loop keeps of its batches, by the names in its function.

    What all processes add alike, as a counter does, is no figure of a share.
    """
    found: dict[str, Kept] = {}
    for node in below(loop.node):
        if node.type in ("augmented_assignment", "assignment"):
            _add_sum(job, Place(loop.file, node), found)
        elif node.type == "call":
            _add_called(job, Place(loop.file, node), found)
    _add_losses(loop, found)
    _add_unknown_meters(loop, found)
    return found


def _add_sum(job: Job, place: Place, found: dict[str, Kept]) -> None:
    left, right, operator = (field(place.node, name) for name in ("left", "right", "operator"))
    if left is None or right is None or left.type not in _KEPT:
        return
    names = {text_of(item) for item in below(right) if item.type in _KEPT}
    if (
        place.node.type == "assignment"
        and text_of(left) in names
        and not text_of(right).startswith(f"{text_of(left)} + ")
    ):
        # a mean that is kept up to date: (mean * i + loss) / (i + 1)
        is_mean = right.type == "binary_operator" and not job.uniform.is_same(Place(place.file, right))
        found.update({text_of(left): Kept.BATCH} if is_mean and ".item()" in text_of(right) else {})
        return
    adds = operator is not None and text_of(operator) == "+="
    grows = place.node.type == "assignment" and text_of(right).startswith(f"{text_of(left)} + ")
    if not (adds or grows) or job.uniform.is_same(Place(place.file, right)):
        return
    found[text_of(left)] = Kept.LIST if right.type == "list" else Kept.SUM
    if left.type == "subscript" and (holder := field(left, "value")) is not None:
        found.setdefault(text_of(holder), Kept.HOLDER)


def _add_called(job: Job, call: Place, found: dict[str, Kept]) -> None:
    function = field(call.node, "function")
    receiver = field(function, "object") if function is not None and function.type == "attribute" else None
    arguments = arguments_of(call.node).items
    if receiver is None or receiver.type not in _KEPT or not arguments:
        return
    if last_name(call.node) == "append":
        if not job.uniform.is_same(Place(call.file, arguments[0].value)):
            found[text_of(receiver)] = Kept.LIST
            if receiver.type == "subscript" and (holder := field(receiver, "value")) is not None:
                found.setdefault(text_of(holder), Kept.HOLDER)
    elif any(word in text_of(arguments[0].value) for word in _CLOCK):
        return
    elif is_meter(job, Place(call.file, receiver), last_name(call.node)):
        found[text_of(receiver)] = Kept.METER


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
    operator = field(inner, "operator") if inner.type == "binary_operator" else None
    return operator is not None and text_of(operator) == "/"


def _add_losses(loop: Place, found: dict[str, Kept]) -> None:
    """The losses: what ``backward`` is called of, and the numbers that are taken of them."""
    assigned = {
        text_of(left): right
        for node in below(loop.node)
        if node.type == "assignment"
        and (left := field(node, "left")) is not None
        and (right := field(node, "right")) is not None
        and left.type in ("identifier", "attribute")
    }
    losses: set[str] = set()
    for node in below(loop.node):
        if node.type == "call" and last_name(node) == "backward":
            function = field(node, "function")
            receiver = field(function, "object")
            if receiver is not None:
                parts = (receiver, *below(receiver))
                losses |= {text_of(item) for item in parts if text_of(item) in assigned}
    losses |= {name for name, value in assigned.items() if taken_of(value) in losses}
    for name in losses:
        found.setdefault(name, Kept.BATCH)


def _add_unknown_meters(loop: Place, found: dict[str, Kept]) -> None:
    """Objects that are given the loss of each batch, of classes that are not known: ``meters["loss"]``."""
    for node in below(loop.node):
        function = field(node, "function") if node.type == "call" else None
        receiver = field(function, "object")
        if receiver is None or receiver.type not in _KEPT or last_name(node) not in _UPDATES:
            continue
        given = field(node, "arguments")
        if given is None or text_of(receiver) in found:
            continue
        if any(found.get(text_of(item)) is Kept.BATCH for item in below(given)):
            found[text_of(receiver)] = Kept.METER
            if receiver.type == "subscript" and (holder := field(receiver, "value")) is not None:
                found.setdefault(text_of(holder), Kept.HOLDER)


def taken_of(node: Node) -> str:
    """What the number of a tensor is taken of: ``loss`` for ``loss.detach().item()`` and ``float(loss)``."""
    node = without_parentheses(node)
    while node.type == "call" and last_name(node) in _TAKEN:
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
