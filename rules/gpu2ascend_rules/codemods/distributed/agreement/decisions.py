"""NPU427: what one process decides on its own figures, all do, or they wait for each other for ever.

A condition on the way to a step of the training is put to the vote, unless all processes answer it alike
anyway. A branch that trains is taken when all want it; one that leaves the training out, when any does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....limits.parents import parent_of
from ....model.finding import Severity
from ....text.scopes import BindingKind
from ....text.syntax import (
    LOOPS,
    ancestors,
    arguments_of,
    enclosing,
    field,
    last_name,
    text_of,
    without_parentheses,
)
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..data.loops import backward_calls, loops_in_function, with_callers
from ..data.roles import TrainingLoop
from ..job import Job
from ..model.target import Target
from ..places import below

_KEEP_BUFFERS = ("BatchNorm", "SyncBatchNorm", "LazyBatchNorm", "register_buffer")
_LIBRARIES_OF_MODELS = ("torchvision.models.", "timm.", "transformers.")
_DEFINED = frozenset({BindingKind.IMPORT, BindingKind.DEFINITION})
CODE = "NPU427"
_LEAVES = frozenset({"break_statement", "continue_statement", "return_statement"})
_BRANCHES = frozenset({"block", "elif_clause", "else_clause"})
_EXITS = frozenset({"sys.exit", "os._exit", "exit", "quit", "SystemExit"})
_LITERALS = frozenset({"integer", "string", "concatenated_string", "unary_operator"})
_SETS_RATE = re.compile(rb"param_groups|\[['\"]lr['\"]\]|\.lr\s*[-+*/]?=|load_state_dict\(")
_CHANCE = frozenset(
    {"random", "rand", "randint", "uniform", "choice", "random_sample", "randn", "getrandbits"}
)
_EXPECTED = ("StopIteration", "KeyboardInterrupt", "ImportError", "KeyError", "SystemExit")
_ON_FIGURES = "torch.optim.lr_scheduler.ReduceLROnPlateau"


def calls_with_buffers(job: Job, targets: list[Target]) -> list[Place]:
    """The calls of the models, if they may have buffers, and of functions that lead to them."""
    may_have = any(map(_keeps_buffers, job.program.places("call")))
    return _calls_of_models(job, targets) if may_have else []


def _calls_of_models(job: Job, targets: list[Target]) -> list[Place]:
    calls = [call for call in job.program.places("call") if _is_of_model(targets, call)]
    return with_callers(calls, job.program)


def _keeps_buffers(call: Place) -> bool:
    return last_name(call.node).startswith(_KEEP_BUFFERS) or callee_name(call).startswith(
        _LIBRARIES_OF_MODELS
    )


def _is_of_model(targets: list[Target], call: Place) -> bool:
    function = field(call.node, "function")
    if function is None:
        return False
    if function.type == "identifier":
        bindings = call.file.names.bindings_in_scope(text_of(function), function)
        if not bindings or all(item.kind in _DEFINED for item in bindings):
            return False
    elif function.type != "attribute" or not _may_hold_model(targets, text_of(function)):
        return False
    return any(target.is_model(Place(call.file, function)) for target in targets)


def _may_hold_model(targets: list[Target], attribute: str) -> bool:
    """``self.net`` and ``trainer.model``, but not ``x.size``."""
    last = attribute.rpartition(".")[2]
    return attribute.startswith("self.") or any(item.name.rpartition(".")[2] == last for item in targets)


class _Ways(NamedTuple):
    """What the conditions of one function may lead to."""

    steps: list[Place]
    """The calls that train."""
    around: set[int]
    """The loops around those."""
    forwards: list[Place]
    """The calls of a model that sends its buffers to all processes."""


def agree_on_decisions(job: Job, loops: list[TrainingLoop], targets: list[Target]) -> Iterator[Change]:
    """The changes of the conditions on which it depends whether, and how, a process goes on training."""
    seen: set[tuple[str, int]] = set()
    forwards = calls_with_buffers(job, targets)
    models = _calls_of_models(job, targets)
    for place in (*_steps(job), *forwards):
        function = function_around(place)
        scope = Place(place.file, function.node if function is not None else place.file.root)
        if scope.key in seen:
            continue
        seen.add(scope.key)
        steps = [item for item in _steps(job) if _is_in(scope, item)]
        around = {loop.id for item in steps for loop in loops_in_function(item.node)}
        ways = _Ways(steps, around, [item for item in forwards if _is_in(scope, item)])
        for node in below(scope.node):
            if node.type in ("if_statement", "while_statement"):
                yield from _agreed(job, Place(place.file, node), ways, may_vote=bool(loops))
            elif node.type == "except_clause":
                yield from _excepted(Place(place.file, node), around, [*steps, *models])
            elif node.type == "for_statement" and node.id in around:
                yield from _rounds_agreed(job, Place(place.file, node), may_vote=bool(loops))
    yield from _raised(job, may_vote=bool(loops))
    yield from _plateaus(job)


def _raised(job: Job, *, may_vote: bool) -> Iterator[Change]:
    """``raise StopTraining`` in a callback, where a handler around the training goes on after it."""
    for place in job.program.places("raise_statement"):
        name = re.search(r"raise\s+(?:\w+\.)*(\w+)", place.text)
        if name is None or not any(_is_caught(name[1], step) for step in _steps(job)):
            continue
        tests = [node for node in ancestors(place.node) if node.type == "if_statement"]
        is_common = may_vote and bool(tests) and job.meeting.is_common(Place(place.file, tests[-1]))
        for holder in tests:
            condition = field(holder, "condition")
            if condition is None or job.uniform.is_same(Place(place.file, condition)):
                continue
            if not is_common:
                text = first_line(text_of(condition))
                yield reported_only(CODE, "undecided", place, Severity.ERROR, text=text)
                return
            yield _put_to_the_vote(job, Place(place.file, holder), condition, [])
            yield reported_only(CODE, "figures", place, Severity.INFORMATION, text=first_line(place.text))


def _is_caught(name: str, step: Place) -> bool:
    """Whether a handler around a step catches an exception and ends by no other."""
    handlers = (
        child
        for parent in ancestors(step.node)
        if parent.type == "try_statement"
        for child in parent.named_children
        if child.type == "except_clause"
    )
    return any(
        re.search(rf"\b{name}\b", text_of(handler).partition(":")[0])
        and not any(_ends_by_raising(child) for child in handler.named_children if child.type == "block")
        for handler in handlers
    )


def _steps(job: Job) -> list[Place]:
    """The calls that train, and those of functions that lead to them."""
    if not job.steps:
        job.steps.extend(with_callers(list(backward_calls(job.program)), job.program))
    return job.steps


def _is_in(scope: Place, item: Place) -> bool:
    function = function_around(item)
    node = function.node if function is not None else item.file.root
    return item.file is scope.file and node == scope.node


def _agreed(job: Job, place: Place, ways: _Ways, *, may_vote: bool) -> Iterator[Change]:
    """The decisions of one statement; without loops over shared data nobody knows who comes by how often."""
    statement = place.node
    if statement.type == "while_statement":
        if statement.id not in ways.around:
            return
    elif not _matters(job, place, ways):
        return
    for holder in (statement, *(item for item in statement.named_children if item.type == "elif_clause")):
        condition = field(holder, "condition")
        if condition is None or job.uniform.is_same(Place(place.file, condition)) or _asks_rank(condition):
            continue
        if not may_vote or not _is_reached(statement):
            yield reported_only(CODE, "undecided", place, Severity.ERROR, text=first_line(text_of(condition)))
            return
        yield _put_to_the_vote(job, Place(place.file, holder), condition, ways.steps)


def _put_to_the_vote(job: Job, holder: Place, condition: Node, steps: list[Place]) -> Change:
    names, node = job.names(holder), without_parentheses(condition)
    branch = field(holder.node, "body" if holder.node.type == "while_statement" else "consequence")
    trains = branch is not None and any(_is_inside(step.node, branch) for step in steps)
    by = "any"
    if any(item.type == "call" and last_name(item) in _CHANCE for item in (node, *below(node))):
        by = "first"
    elif trains and holder.node.type != "while_statement":
        by = "all"
    text = f"{names.agreed}($0)" if by == "any" else f'{names.agreed}($0, by="{by}")'
    operation = Operation.at(OperationKind.EXPRESSION, node, text)
    place = Place(holder.file, condition)
    return done(CODE, "agreed", place, operation, text=first_line(place.text))._replace(can_go=False)


def _rounds_agreed(job: Job, loop: Place, *, may_vote: bool) -> Iterator[Change]:
    """``for _ in range(random.randint(1, 3))``: all processes take as many steps as the first."""
    iterable = field(loop.node, "right")
    if iterable is None or iterable.type != "call" or last_name(iterable) not in ("range", "trange"):
        return
    for argument in arguments_of(iterable).items:
        place = Place(loop.file, argument.value)
        if not _differs(job, place):
            continue
        if not may_vote or not _is_reached(loop.node):
            yield reported_only(CODE, "undecided", loop, Severity.ERROR, text=first_line(place.text))
            return
        text = f"{job.names(loop).from_main_process}($0)"
        operation = Operation.at(OperationKind.EXPRESSION, argument.value, text)
        yield done(CODE, "agreed", place, operation, text=first_line(place.text))._replace(can_go=False)


def _differs(job: Job, count: Place) -> bool:
    """Whether a number comes from chance or from a figure; what is not known may well be an option."""
    if job.uniform.is_same(count):
        return False
    return any(
        node.type == "call" and (last_name(node) in _CHANCE or last_name(node) == "item")
        for origin in (count, *job.origins.of(count))
        for node in (origin.node, *below(origin.node))
    )


def _matters(job: Job, place: Place, ways: _Ways) -> bool:
    """Whether a branch trains or sends buffers, leaves a loop that trains, ends before, or sets its rate."""
    statement = place.node
    inside = any(parent.id in ways.around for parent in ancestors(statement))
    if _holds_step(statement, ways):
        return True
    last = max((step.node.end_byte for step in ways.steps), default=0)
    for node in below(statement):
        before = inside or node.start_byte < last
        if node.type in _LEAVES and _leaves(node, ways.around, before=before):
            return True
        if _ends_process(Place(place.file, node)) and (before or _is_in_called_loop(job, place)):
            return True
    return inside and _SETS_RATE.search(statement.text or b"") is not None


def _holds_step(statement: Node, ways: _Ways) -> bool:
    branches = [child for child in statement.named_children if child.type in _BRANCHES]
    return any(_is_inside(step.node, branch) for step in (*ways.steps, *ways.forwards) for branch in branches)


def _leaves(node: Node, around: set[int], *, before: bool) -> bool:
    if node.type == "return_statement":
        return before
    loop = enclosing(node, *LOOPS)
    return loop is not None and loop.id in around


def _ends_process(place: Place) -> bool:
    """Whether a process ends as one that succeeded; when one fails, the launcher ends the others."""
    if place.node.type == "raise_statement":
        return text_of(place.node) == "raise SystemExit"
    if place.node.type != "call" or callee_name(place) not in _EXITS:
        return False
    status = arguments_of(place.node).at(0)
    return status is None or status.value.type not in _LITERALS or text_of(status.value) == "0"


def _is_in_called_loop(job: Job, place: Place) -> bool:
    """Whether a loop comes back to the function of a place, and with that to its steps."""
    function = function_around(place)
    calls = job.program.calls_of(function) if function is not None else []
    return any(True for call in calls for _ in loops_in_function(call.node))


def _is_reached(statement: Node) -> bool:
    """Whether all processes come by, once the conditions around have been agreed on, too."""
    return all(parent.type not in ("except_clause", "match_statement") for parent in ancestors(statement))


def _excepted(place: Place, around: set[int], needed: list[Place]) -> Iterator[Change]:
    """``except RuntimeError: continue``: a batch that one process leaves out, the others wait for."""
    body = [child for child in place.node.named_children if child.type == "block"]
    head = text_of(place.node).partition(":")[0]
    is_around = any(item.id in around for item in ancestors(place.node))
    if any(name in head for name in _EXPECTED) or not is_around:
        return
    if not _may_skip_step(place, needed):
        return
    if not any(_ends_by_raising(block) for block in body):
        yield reported_only(CODE, "excepted", place, Severity.ERROR, text=first_line(head))


def _may_skip_step(handler: Place, needed: list[Place]) -> bool:
    """Whether a call that all processes need, of the model or of a step, is in the ``try`` of a handler, or
    the handler leaves the loop or the round."""
    whole = parent_of(handler.node)
    is_tried = whole is not None and any(
        item.file is handler.file and _is_inside(item.node, whole) for item in needed
    )
    return is_tried or any(node.type in _LEAVES for node in below(handler.node))


def _ends_by_raising(block: Node) -> bool:
    last = block.named_children[-1] if block.named_children else None
    return last is not None and last.type == "raise_statement"


def _asks_rank(condition: Node) -> bool:
    return re.search(r"\brank\b|is_main|is_master", text_of(condition)) is not None


def _is_inside(node: Node, outer: Node) -> bool:
    return outer.start_byte <= node.start_byte < outer.end_byte


def _plateaus(job: Job) -> Iterator[Change]:
    """``scheduler.step(loss)`` of a scheduler that looks at figures: at those of all processes."""
    for call in job.program.places("call"):
        function = field(call.node, "function")
        given = arguments_of(call.node).get("metrics", 0)
        if (
            function is None
            or function.type != "attribute"
            or last_name(call.node) != "step"
            or given is None
        ):
            continue
        receiver = Place(call.file, field(function, "object"))  # type: ignore[arg-type]
        if not any(
            item.node.type == "call" and callee_name(item) == _ON_FIGURES for item in job.origins.of(receiver)
        ):
            continue
        if not job.meeting.is_common(call):
            yield reported_only(CODE, "undecided", call, Severity.ERROR, text=first_line(call.text))
            continue
        node = without_parentheses(given.value)
        text = f"{job.names(call).mean_over_processes}($0)"
        operation = Operation.at(OperationKind.EXPRESSION, node, text)
        yield done(CODE, "reduced", call, operation, text=first_line(text_of(node)))
