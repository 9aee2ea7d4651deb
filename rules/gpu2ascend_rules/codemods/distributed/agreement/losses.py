"""NPU427: losses that the average over the processes does not make those of the whole batch.

A mean of the losses of the items is the mean of the losses of the shares. A loss that adds up, that divides
by something that depends on the data, or that compares the items of a batch is not; that is said at the loss.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tree_sitter import Node

from ....inference.walk.targets import values_returned
from ....limits.below import nodes_in
from ....limits.parents import parent_of
from ....limits.walks import PROGRAM_WALK_LIMITS
from ....model.finding import Severity
from ....text.scopes import BindingKind
from ....text.source_file import SourceFile
from ....text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    field,
    last_name,
    operator_of,
    text_of,
    without_parentheses,
)
from ...change import Change, first_line, reported_only
from ...program import Place, function_around
from ..data.gradients import loss_values
from ..data.loops import backward_calls, with_callers
from ..job import Job
from ..model.target import Target
from ..places import are_apart, below
from .batch_wide import COUNTED, KEPT, PAIRS, TOGETHER, kind_of, with_makers

CODE = "NPU427"
_SUMMED = "summed"
_SEVERITIES = {
    _SUMMED: Severity.WARNING,
    PAIRS: Severity.WARNING,
    KEPT: Severity.WARNING,
    COUNTED: Severity.INFORMATION,
    TOGETHER: Severity.INFORMATION,
}
"""What is said of a loss, the gravest first."""
_ADDS = frozenset({"+", "-", "*"})
_SUMS = ("reduction", "size_average")


def say_losses(job: Job, targets: list[Target]) -> Iterator[Change]:
    """What is said of each loss, once; and of a second ``backward`` through the same outputs."""
    seen: set[tuple[str, int]] = set()
    losses = [(place, loss) for place in backward_calls(job.program) if (loss := field(place.node, "object"))]
    for place, loss in losses:
        found = _found(job, [Place(place.file, node) for node in _of_batches(place.file, loss)])
        key = next((key for key in _SEVERITIES if key in found), None)
        if key is not None and found[key].key not in seen:
            seen.add(found[key].key)
            yield reported_only(CODE, key, found[key], _SEVERITIES[key], text=first_line(found[key].text))
    for target in targets:
        yield from _second_backwards(job, target, losses)


def _of_batches(file: SourceFile, loss: Node) -> list[Node]:
    """The expressions that a loss is made of, without what is computed once before its loops."""
    values, scope = loss_values(file, loss), enclosing(loss, "function_definition") or file.root
    loops = [one for one in ancestors(loss) if one.type in LOOPS and one.start_byte >= scope.start_byte]
    start = loops[-1].start_byte if loops else 0
    return [one for one in values if one.start_byte >= start or one.type == "lambda"]


def _found(job: Job, values: list[Place]) -> dict[str, Place]:
    """The first expression of each kind among those that compute a loss."""
    found: dict[str, Place] = {}
    stores = (parent for value in values if (parent := parent_of(value.node)) is not None)
    outer = [Place(values[0].file, node) for node in stores if node.type == "assignment"]
    for place in (*_computing(job, values), *outer):
        kind = kind_of(job, place)
        if kind is not None and not (kind == KEPT and _is_of_round(place, values[0])):
            found.setdefault(kind, place)
    for call in _kept_lists(values):
        found.setdefault(KEPT, call)
    summed = _summed(job, values[0], 0)
    return {**found, _SUMMED: summed} if summed is not None else found


def _is_of_round(store: Place, loss: Place) -> bool:
    """Whether what is stored in is made anew for each batch: in the round of the loss, or in a function."""
    root = field(store.node, "left")
    while root is not None and root.type in ("subscript", "attribute"):
        root = field(root, "value") or field(root, "object")
    bindings = store.file.names.bindings_in_scope(text_of(root), root) if root is not None else []
    made = [one.node for one in bindings if one.kind is BindingKind.ASSIGNMENT]
    function = function_around(store)
    round_of = next((one for one in ancestors(loss.node) if one.type in LOOPS), None)
    if function is not None and function != function_around(loss):
        round_of = function.node
    return any(round_of in [*ancestors(one)] for one in made)


def _kept_lists(values: list[Place]) -> Iterator[Place]:
    """The calls that add values of a loss to lists that outlive the round of the loop that it is in."""
    loop = next((one for one in ancestors(values[0].node) if one.type in LOOPS), None)
    for value in values if loop is not None else ():
        call = parent_of(parent_of(value.node))
        name = field(field(call, "function"), "object")
        if call is None or name is None or last_name(call) != "append" or loop not in [*ancestors(call)]:
            continue
        bindings = value.file.names.bindings_in_scope(text_of(name), name)
        if not any(loop in [*ancestors(one.node)] for one in bindings):
            yield Place(value.file, call)


def _computing(job: Job, values: list[Place]) -> Iterator[Place]:
    """The expressions that compute a loss, in the function of ``backward`` and in those that it calls."""
    seen: set[tuple[str, int]] = set()
    pending = [(value, 0) for value in values]
    for value, depth in pending:
        for node in nodes_in(value.node, "class_definition"):
            place = Place(value.file, node)
            if place.key in seen:
                continue
            seen.add(place.key)
            yield place
            is_near = node.type == "call" and depth < PROGRAM_WALK_LIMITS.callers
            callee = _called(job, place) if is_near else None
            body = field(callee.node, "body") if callee is not None else None
            if callee is not None and body is not None:
                pending.append((Place(callee.file, body), depth + 1))


def _called(job: Job, call: Place) -> Place | None:
    """The function of the program that a call runs; of a module, its ``forward``."""
    callee = job.program.callee(call)
    if callee is not None:
        return callee if callee.node.type == "function_definition" else None
    function = field(call.node, "function")
    origins = job.origins.of(Place(call.file, function)) if function is not None else []
    owners = [owner for item in origins if (owner := job.program.class_of(item)) is not None]
    return job.program.method(owners[0], "forward") if owners else None


def _summed(job: Job, value: Place, depth: int) -> Place | None:
    """What adds a loss up over its batch, and is divided by no number of items."""
    node = without_parentheses(value.node)
    parts: list[Node | None] = []
    if node.type == "binary_operator":
        left, right = field(node, "left"), field(node, "right")
        if operator_of(node) in _ADDS:
            parts = [left, right]
        elif right is not None and right.type in ("integer", "float"):
            parts = [left]
    elif node.type == "unary_operator":
        parts = list(node.named_children)
    elif node.type == "call":
        return _summed_by(job, Place(value.file, node), depth)
    elif node.type in ("identifier", "attribute") and depth < PROGRAM_WALK_LIMITS.callers:
        parts, depth = _given(Place(value.file, node)), depth + 1
    found = (_summed(job, Place(value.file, item), depth) for item in parts if item is not None)
    return next((item for item in found if item is not None), None)


def _summed_by(job: Job, call: Place, depth: int) -> Place | None:
    function, arguments = field(call.node, "function"), arguments_of(call.node)
    if function is None:
        return None
    if any(map(_asks_for_sum, with_makers(job, call))):
        return call
    receiver = field(function, "object")
    is_function = text_of(function) == "torch.sum"
    added = arguments.items[0].value if is_function and arguments.items else receiver
    if last_name(call.node) == "sum" and len(arguments.items) == is_function and added is not None:
        return None if ".mean(" in text_of(added) else call
    callee = _called(job, call) if depth < PROGRAM_WALK_LIMITS.callers else None
    if callee is None:
        return None
    returned = (Place(callee.file, value) for value in values_returned(callee.node))
    return next((found for item in returned if (found := _summed(job, item, depth + 1)) is not None), None)


def _asks_for_sum(call: Place) -> bool:
    asked = [item for name in _SUMS if (item := arguments_of(call.node).keyword(name)) is not None]
    return any(text_of(item.value).strip("'\"") in ("sum", "False") for item in asked)


def _given(name: Place) -> list[Node | None]:
    """What a name is given in its function; nothing, where it is divided by more than a number."""
    scope = enclosing(name.node, "function_definition") or name.file.root
    given = [
        right
        for node in below(scope)
        if node.type in ("assignment", "augmented_assignment")
        and (right := field(node, "right")) is not None
        and text_of(field(node, "left") or node) == name.text
    ]
    is_divided = any(operator_of(item) == "/" and field(item, "right") is not None for item in given)
    return [] if is_divided and len(given) > 1 else list(given)


def _second_backwards(job: Job, target: Target, losses: list[tuple[Place, Node]]) -> Iterator[Change]:
    """The wrapper averages the gradients of the first ``backward`` after a call of the model."""
    called = [
        call
        for call in job.program.places("call")
        if (function := field(call.node, "function")) is not None
        and target.is_model(Place(call.file, function))
    ]
    forwards = with_callers(called, job.program)
    through = [(place, loss) for place, loss in losses if _is_through(forwards, place, loss)]
    for (one, _), (other, loss) in itertools.pairwise(through):
        if one.file is not other.file or function_around(one) != function_around(other):
            continue
        between = range(one.node.end_byte, other.node.end_byte)
        is_called = any(call.file is one.file and call.node.start_byte in between for call in forwards)
        is_again = _is_through(forwards, other, loss, one.node.end_byte)
        if is_again and not is_called and not are_apart(one.node, other.node):
            yield reported_only(
                CODE,
                "second",
                other,
                Severity.ERROR,
                text=text_of(call_of(other.node) or other.node),
                model=target.name,
            )


def _is_through(forwards: list[Place], place: Place, loss: Node, since: int = -1) -> bool:
    """Whether a loss is made of what some calls give."""
    nodes = {node.id for value in loss_values(place.file, loss, since) for node in nodes_in(value)}
    return any(call.file is place.file and call.node.id in nodes for call in forwards)
