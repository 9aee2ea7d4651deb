"""Tensors that an optimizer trains by themselves: no wrapper of a module averages their gradients."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import arguments_of, enclosing, field, text_of
from ...program import Place, callee_name
from ..job import Job
from .identity import is_module

_MAKERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_HOLDERS = frozenset({"list", "tuple", "set", "list_splat", "parenthesized_expression", "binary_operator"})


def trained_tensors(job: Job, call: Place) -> Iterator[Place]:
    """The tensors that an optimizer is given: ``scale`` in ``SGD([*model.parameters(), scale])``."""
    given = arguments_of(call.node).get("params", 0) or arguments_of(call.node).get("param_group", 0)
    places = [Place(call.file, node) for node in _expressions(given.value)] if given is not None else []
    for place in places[: PROGRAM_WALK_LIMITS.depth]:
        held = (item for item in job.origins.of(place) if item.node.type in _HOLDERS)
        places += [Place(item.file, node) for item in held for node in _expressions(item.node)]
    for place in places:
        if not _is_part_of_module(job, place) and any(map(_is_trainable, job.origins.of(place))):
            yield place


def gone_through(job: Job, parameters: Place) -> Iterator[Place]:
    """The models of a list whose parameters are asked for one after the other, in a comprehension."""
    model = field(parameters.node, "object")
    holder = enclosing(parameters.node, "list_comprehension", "generator_expression")
    for clause in holder.named_children if holder is not None else ():
        left, right = field(clause, "left"), field(clause, "right")
        if clause.type != "for_in_clause" or left is None or right is None or model is None:
            continue
        if text_of(left) == text_of(model):
            lists = (
                item for item in job.origins.of(Place(parameters.file, right)) if item.node.type == "list"
            )
            yield from (Place(item.file, child) for item in lists for child in item.node.named_children)


def _expressions(value: Node) -> Iterator[Node]:
    """The names in lists, and below ``params`` in groups of parameters."""
    if value.type in _HOLDERS:
        for child in value.named_children:
            yield from _expressions(child)
    elif value.type == "dictionary":
        for pair in value.named_children:
            key, inner = field(pair, "key"), field(pair, "value")
            if key is not None and inner is not None and text_of(key).strip("'\"") == "params":
                yield from _expressions(inner)
    elif value.type in ("identifier", "attribute"):
        yield value


def _is_part_of_module(job: Job, place: Place) -> bool:
    """Whether a tensor is an attribute of a module that trains itself: one of its parameters."""
    owner = enclosing(place.node, "class_definition")
    is_own = owner is not None and place.text.startswith("self.")
    return is_own and owner is not None and is_module(job.program, Place(place.file, owner))


def _is_trainable(origin: Place) -> bool:
    """``nn.Parameter(…)``, ``torch.zeros(3, requires_grad=True)``."""
    if origin.node.type != "call":
        return False
    asked = arguments_of(origin.node).keyword("requires_grad")
    name = callee_name(origin)
    is_asked_for = asked is not None and text_of(asked.value) == "True"
    return name in _MAKERS or (name.startswith("torch.") and is_asked_for)
