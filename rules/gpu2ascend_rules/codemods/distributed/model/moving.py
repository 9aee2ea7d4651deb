"""Whether a model is on the device of its process by the time it is wrapped, and what puts it there."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.below import nodes_in
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import arguments_of, field, text_of
from ...program import Place, callee_name
from ..job import Job
from .identity import is_module, is_same_object
from .target import Target

MOVES = frozenset({"to", "cuda", "npu"})
_DEFAULTS = frozenset({"torch.set_default_device", "torch.set_default_tensor_type"})


def is_moved_when_made(job: Job, target: Target, before: int) -> bool:
    """Whether what makes a model before an offset, or a function on the way, puts it on a device."""
    if any(callee_name(call) in _DEFAULTS for call in job.program.places("call")):
        return True
    return any(_moves_below(job, value, 0) for value in _values(target, before))


def is_moved_elsewhere(job: Job, target: Target) -> bool:
    """Whether another function moves the model later on: a method that trains it, for instance."""
    for call in job.program.places("call"):
        receiver = _moved(call.node)
        if receiver is None:
            continue
        place = Place(call.file, receiver)
        if (
            _holds(job, place, target)
            or target.is_model(place)
            or any(is_same_object(job, place, item) for item in target.assignments)
        ):
            return True
    return False


def _holds(job: Job, place: Place, target: Target) -> bool:
    """Whether a module is moved that has the model as its part."""
    if target.owner is None or not is_module(job.program, target.owner):
        return False
    owners = (job.program.class_of(item) for item in (place, *job.origins.of(place)))
    return any(owner is not None and owner.key == target.owner.key for owner in owners)


def _moved(call: Node) -> Node | None:
    """What a call moves to a device: ``model`` in ``model.to(device)``."""
    function = field(call, "function")
    return field(function, "object") if text_of(field(function, "attribute")) in MOVES else None


def _values(target: Target, before: int) -> Iterator[Place]:
    for place in target.assignments:
        assignment = parent_of(place.node)
        while assignment is not None and assignment.type in ("pattern_list", "tuple_pattern"):
            assignment = parent_of(assignment)
        value = field(assignment, "right")
        if value is not None and place.node.start_byte < before:
            yield Place(place.file, value)


def _moves_below(job: Job, value: Place, depth: int) -> bool:
    """Whether an expression moves something, or calls a function of the program that does."""
    for node in nodes_in(value.node, "class_definition"):
        if node.type != "call":
            continue
        if _moved(node) is not None or arguments_of(node).keyword("device") is not None:
            return True
        owner = job.program.callee(Place(value.file, node))
        if (
            owner is not None
            and owner.node.type == "function_definition"
            and depth < PROGRAM_WALK_LIMITS.callers
        ):
            body = field(owner.node, "body")
            if body is not None and _moves_below(job, Place(owner.file, body), depth + 1):
                return True
    return False
