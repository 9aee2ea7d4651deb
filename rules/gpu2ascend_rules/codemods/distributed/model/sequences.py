"""Where a model is used as a sequence, which its wrapper is not: ``model[0]``, ``len(model)``, a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.below import nodes_in
from ....limits.parents import parent_of
from ....text.syntax import arguments_of, call_of, field, text_of
from ...program import Place, callee_name
from ..job import Job
from ..places import below
from .target import Target

_GO_THROUGH = frozenset({"len", "list", "tuple", "iter", "enumerate", "reversed", "zip"})
_NAMES = frozenset({"identifier", "attribute"})
_LOOPS = frozenset({"for_statement", "for_in_clause"})


class SequenceUse(NamedTuple):
    """A place where the model's parts are asked for by their order."""

    model: Place
    whole: Node
    """What is shown of it: the item, the call, or the model alone in a loop."""
    computing: tuple[Node, ...] = ()
    """The calls of the parts, which compute past the wrapper."""


def sequence_uses(job: Job, target: Target) -> Iterator[SequenceUse]:
    """The places of a program that use the target as a sequence."""
    for kind in ("subscript", *sorted(_LOOPS), "list_splat", "call"):
        for place in job.program.places(kind):
            yield from (use for use in _used(place) if target.is_model(use.model))


def _used(place: Place) -> Iterator[SequenceUse]:
    node = place.node
    if node.type == "subscript":
        model, computing = field(node, "value"), call_of(node)
        if model is not None and model.type in _NAMES:
            yield SequenceUse(Place(place.file, model), node, (computing,) if computing is not None else ())
    elif node.type in _LOOPS:
        model = field(node, "right")
        if model is not None and model.type in _NAMES:
            yield SequenceUse(Place(place.file, model), model, tuple(_calls_of_item(node)))
    elif node.type == "list_splat":
        yield from (
            SequenceUse(Place(place.file, child), node)
            for child in node.named_children
            if child.type in _NAMES
        )
    elif node.type == "call" and callee_name(place) in _GO_THROUGH:
        for argument in arguments_of(node).positional:
            if argument.value.type in _NAMES:
                yield SequenceUse(Place(place.file, argument.value), node, tuple(_calls_of_item(node)))


def _calls_of_item(iterable: Node) -> Iterator[Node]:
    """The calls of what a loop over an iterable, or a loop itself, goes through: ``layer(x)``."""
    loop = iterable if iterable.type in _LOOPS else parent_of(iterable)
    if loop is None or loop.type not in _LOOPS:
        return
    left = field(loop, "left")
    bound = nodes_in(left) if left is not None else ()
    names = {text_of(node) for node in bound if node.type == "identifier"}
    held = loop if loop.type == "for_statement" else parent_of(loop)
    for node in below(held) if held is not None else ():
        function = field(node, "function") if node.type == "call" else None
        if function is not None and text_of(function) in names:
            yield node
