"""Where a program changes which parameters of a model are trained; looking at that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.below import nodes_in
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....text.syntax import OWN_SCOPES, ancestors, arguments_of, called_on, field, last_name, text_of
from ...program import Place, function_around
from ..job import Job
from .identity import module_classes
from .target import Target, scope_holds

_FLAG = "requires_grad"
_GOES_THROUGH = frozenset({"parameters", "named_parameters", "modules", "named_modules"})
_NAMES = frozenset({"identifier", "attribute"})
_CHOICES = frozenset({"conditional_expression", "list", "tuple", "parenthesized_expression"})
_BRANCHES = frozenset({"if_statement", "conditional_expression"})
_CLAUSES = frozenset({"for_in_clause", "if_clause"})


class Freezing(NamedTuple):
    """A place in the scope of a model, or where a function of another scope cannot be followed further up."""

    place: Place
    is_here: bool
    """Whether the place is in the scope that makes the model."""
    is_whole: bool
    """Whether all parameters of the model are frozen or thawed together, as a step of a GAN does."""


def freezings(job: Job, target: Target) -> list[Freezing]:
    """What freezes or thaws a model or a part of it, seen from the scope that makes the model."""
    classes = {item.key for item in module_classes(job, target)}
    found: dict[tuple[str, int, bool], Freezing] = {}
    for write in _writes(job):
        for module, is_whole in _modules(write):
            whole = is_whole and _is_model(job, target, classes, module)
            if whole or _is_part(job, target, classes, module):
                for site in _sites(job, target, write):
                    is_here = site.file is target.file and scope_holds(target.scope, site.node)
                    found.setdefault((*site.key, whole), Freezing(site, is_here, whole))
    return list(found.values())


def _writes(job: Job) -> Iterator[Place]:
    """What ``requires_grad`` is set of."""
    for place in job.program.places("assignment"):
        left = field(place.node, "left")
        if left is not None and left.type == "attribute" and text_of(left).endswith(f".{_FLAG}"):
            yield Place(place.file, field(left, "object") or left)
    for call in job.program.places("call"):
        first = arguments_of(call.node).at(0)
        receiver = called_on(call.node)
        if last_name(call.node) == f"{_FLAG}_" and receiver is not None:
            yield Place(call.file, receiver)
        elif last_name(call.node) == "setattr" and first is not None and f"{_FLAG}" in call.text:
            yield Place(call.file, first.value)


def _modules(write: Place) -> Iterator[tuple[Place, bool]]:
    """The modules whose parameters are written, and whether a write reaches all parameters of them."""
    nodes, is_whole = [write.node], True
    for parent in ancestors(write.node):
        if parent.type in OWN_SCOPES:
            break
        is_whole &= parent.type not in _BRANCHES
        drawn, is_every = _drawn(parent, text_of(nodes[0]))
        if drawn is None:
            continue
        asked = _asked(drawn)
        is_choice = not asked and drawn.type in _CHOICES
        is_whole &= is_every and (is_choice or asked == [drawn])
        named = [item for item in nodes_in(drawn) if item.type in _NAMES]
        nodes = named if is_choice else _owners(asked) or [drawn]
        if is_choice or len(nodes) > 1:
            break
    yield from ((Place(write.file, item), is_whole) for item in nodes)


def _asked(drawn: Node) -> list[Node]:
    """The calls that list the parameters or the parts of modules."""
    return [item for item in nodes_in(drawn) if item.type == "call" and last_name(item) in _GOES_THROUGH]


def _owners(asked: list[Node]) -> list[Node]:
    """The modules of which such calls are."""
    found = (called_on(item) for item in asked)
    return [item for item in found if item is not None]


def _drawn(parent: Node, name: str) -> tuple[Node | None, bool]:
    """What a loop or a comprehension draws the values of a name from, and whether it uses all of them."""
    is_loop = parent.type == "for_statement"
    clauses = [parent] if is_loop else [item for item in parent.named_children if item.type in _CLAUSES]
    left = field(clauses[0], "left") if clauses else None
    is_drawn = left is not None and name in {text_of(item) for item in nodes_in(left)}
    return field(clauses[0], "right") if is_drawn else None, len(clauses) == 1


def _is_model(job: Job, target: Target, classes: set[tuple[str, int]], module: Place) -> bool:
    if module.text == "self":
        owner = job.program.class_of(module)
        return owner is not None and owner.key in classes
    return target.is_model(module)


def _is_part(job: Job, target: Target, classes: set[tuple[str, int]], module: Place) -> bool:
    """``model.layers[0]``, ``self.backbone`` in a method of the model, ``list(model.children())[:3]``.

    It may have been handed to a function by a name of its own.
    """
    if any(_is_model(job, target, classes, item) for item in _named_in(module)):
        return True

    def is_inside(place: Place) -> bool:
        return place.node.type in ("attribute", "subscript") and any(map(target.is_model, _named_in(place)))

    return any(is_inside(item) for name in _named_in(module) for item in job.origins.of(name, is_inside))


def _named_in(place: Place) -> Iterator[Place]:
    """The names in an expression, without those of attributes by themselves."""
    for node in nodes_in(place.node):
        if node.type in _NAMES and field(parent_of(node), "attribute") != node:
            yield Place(place.file, node)


def _sites(job: Job, target: Target, write: Place) -> Iterator[Place]:
    """The write itself in the scope of the model; else the calls there that lead to it."""
    pending, seen = [(write, 0)], set[tuple[str, int]]()
    for place, depth in pending:
        function = function_around(place)
        if place.file is target.file and scope_holds(target.scope, place.node):
            yield place
            continue
        calls = job.program.calls_of(function) if function is not None else []
        if depth > PROGRAM_WALK_LIMITS.callers or function is None:
            yield place
            continue
        for call in calls:
            if call.key not in seen and _concerns(target, call):
                seen.add(call.key)
                pending.append((call, depth + 1))


def _concerns(target: Target, call: Place) -> bool:
    """Whether a call has to do with a model: it names it, makes it, or is one of methods of one object."""
    names = [item for item in nodes_in(call.node) if item.type in _NAMES]
    return _makes(target, call) or any(
        text_of(item) == "self" or target.is_model(Place(call.file, item)) for item in names
    )


def _makes(target: Target, call: Place) -> bool:
    """Whether a call is in the value that the model's variable is given."""
    return any(
        (value := field(parent_of(place.node), "right")) is not None
        and place.file is call.file
        and value.start_byte <= call.node.start_byte < value.end_byte
        for place in target.assignments
    )
