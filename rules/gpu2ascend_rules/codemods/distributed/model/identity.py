"""Whether two names are of one model: what makes it is the same expression, by whatever way it came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ....limits.below import nodes_in
from ....text.scopes import scope_of
from ....text.syntax import enclosing, field, text_of
from ...passing import argument_for
from ...program import Place, Program, callee_name, function_around, qualified
from ..job import Job
from .target import Target

_PLAIN = frozenset({"object", "ABC", "Generic", "Protocol"})
"""Bases that make a class no module."""
_MODULES = ("torch.nn.Module", "torch.nn.modules.module.Module", "LightningModule")


def makers(job: Job, expression: Place) -> dict[tuple[str, int], Place]:
    """The calls that make an object, by their places."""
    found: dict[tuple[str, int], Place] = {}
    pending, seen = list(job.origins.of(expression)), set[tuple[str, int]]()
    for item in pending:
        if item.node.type == "call":
            found[item.key] = item
        elif item.node.type == "identifier" and item.key not in seen:
            seen.add(item.key)
            pending += [origin for given in _handed_up(job, item) for origin in job.origins.of(given)]
    return found


def _handed_up(job: Job, parameter: Place) -> Iterator[Place]:
    """What classes give for a parameter of their base: ``model`` in ``super().__init__(model)``."""
    function = function_around(parameter)
    owner = enclosing(function.node, "class_definition") if function is not None else None
    name = field(function.node, "name") if function is not None else None
    if function is None or owner is None or name is None:
        return
    base = Place(parameter.file, owner)
    for call in job.program.places("call"):
        if text_of(field(call.node, "function") or call.node) != f"super().{text_of(name)}":
            continue
        heir = enclosing(call.node, "class_definition")
        family = job.program.family(Place(call.file, heir)) if heir is not None else []
        if base.key in {item.key for item in family[1:]}:
            given = argument_for(function, parameter.text, call)
            if given is not None:
                yield given


def is_same_object(job: Job, one: Place, other: Place) -> bool:
    """Whether two expressions may be of one object, for all that is known of where they come from.

    One function may make several objects: two variables of a scope, each with a call of its own, are two.
    """
    if not makers(job, one).keys() & makers(job, other).keys():
        return False
    mine, theirs = _assigned(job, one), _assigned(job, other)
    return not (mine and theirs and scope_of(mine) == scope_of(theirs) and mine != theirs)


def is_of_target(job: Job, expression: Place, target: Target) -> bool:
    """Whether an expression is of the object in a target's variable, or the object's own ``self``."""
    if target.is_model(expression):
        return True
    if expression.text == "self":
        owner = job.program.class_of(expression)
        made = [
            job.program.class_of(item) for place in target.assignments for item in makers(job, place).values()
        ]
        return owner is not None and any(
            owner.key in {item.key for item in job.program.family(found)} for found in made if found
        )
    return any(is_same_object(job, expression, place) for place in target.assignments)


def is_module(program: Program, owner: Place) -> bool:
    """Whether a class of the program is a module of torch, whose state holds that of its parts."""
    return any(
        qualified(Place(item.file, base)).endswith(_MODULES)
        for item in program.family(owner)
        for base in _bases(item.node)
    )


def plain_class_of(job: Job, target: Target) -> Place | None:
    """The class of a variable that holds no module of torch: all bases of it are the program's, and plain."""
    made = [item for place in target.assignments for item in makers(job, place).values()]
    owners = [job.program.class_of(call) for call in made]
    for owner in owners:
        family = job.program.family(owner) if owner is not None else []
        names = {text_of(field(item.node, "name")) for item in family} | _PLAIN
        if not family or any(_plain_name(base) not in names for item in family for base in _bases(item.node)):
            return None
    return owners[0] if owners else None


def _plain_name(base: Node) -> str:
    """``Generic`` of ``typing.Generic[T]``."""
    return text_of(base).partition("[")[0].rpartition(".")[2]


def module_classes(job: Job, target: Target) -> list[Place]:
    """The classes of a model and of its parts; all that the program has, where nothing says which it is."""
    made = [item for place in target.assignments for item in makers(job, place).values()]
    found = {item.key: item for call in made if (item := job.program.class_of(call)) is not None}
    if not found and not any(callee_name(call).startswith("torch.") for call in made):
        every = job.program.places("class_definition")
        found = {item.key: item for item in every if is_module(job.program, item)}
    pending = [*found.values(), *made]
    for place in pending:
        for owner in _classes_at(job, place):
            if owner.key not in found and is_module(job.program, owner):
                found[owner.key] = owner
                pending.append(owner)
    return list(found.values())


def _classes_at(job: Job, place: Place) -> list[Place]:
    """The family of a class, and the classes that are called in there or in an expression."""
    held = job.program.family(place) if place.node.type == "class_definition" else [place]
    calls = (Place(item.file, node) for item in held for node in nodes_in(item.node) if node.type == "call")
    found = (*held, *map(job.program.callee, calls))
    return [item for item in found if item is not None and item.node.type == "class_definition"]


def _bases(definition: Node) -> Iterable[Node]:
    listed = field(definition, "superclasses")
    every = listed.named_children if listed is not None else ()
    return (one for one in every if one.type not in ("keyword_argument", "comment"))


def _assigned(job: Job, expression: Place) -> Node | None:
    """The value that the variable of an expression is given, where that is one call."""
    found = [
        value
        for assignment in job.program.nodes(expression.file, "assignment")
        for target, value in _given(assignment)
        if text_of(target) == expression.text
        and (value.type == "call" or value == target)
        and (expression.node.type == "attribute" or scope_of(target) == scope_of(expression.node))
    ]
    return found[0] if len(found) == 1 else None


def _given(assignment: Node) -> Iterator[tuple[Node, Node]]:
    """What an assignment gives each of its targets; the target itself for a part of another value."""
    left, right = field(assignment, "left"), field(assignment, "right")
    if left is None or right is None:
        return
    if left.type not in ("pattern_list", "tuple_pattern"):
        yield left, right
        return
    is_split = right.type in ("expression_list", "tuple") and len(right.named_children) == len(
        left.named_children
    )
    yield from zip(left.named_children, (right if is_split else left).named_children, strict=True)
