"""NPU427: figures that a process adds up over its share of the data become those of all data.

``total / len(loader)`` is a mean of the share: the mean over the processes is that of all data.
``correct / len(dataset)`` is a sum over the share, divided by the size of all data: the sum over the
processes belongs there. Anything else that is looked at after the loop is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....model.finding import Severity
from ....text.syntax import ancestors, arguments_of, field, last_name, text_of, without_parentheses
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..alike.uniform import statement_around
from ..data.roles import TrainingLoop
from ..job import Job
from ..places import below, is_simple

CODE = "NPU427"
_NORMS = ("torch.nn.BatchNorm1d", "torch.nn.BatchNorm2d", "torch.nn.BatchNorm3d")
_LATER = frozenset({"lambda", "list_comprehension", "generator_expression", "set_comprehension",
                    "boolean_operator", "dictionary_comprehension", "conditional_expression"})  # fmt: skip
"""Where not every process need come by."""
_MEANS = frozenset({"mean", "average", "fmean"})


def reduce_figures(job: Job, loops: list[TrainingLoop], shared: set[tuple[str, int]]) -> Iterator[Change]:
    """The changes of what is made of a share of the data, where the loop that goes through it is done."""
    seen: set[tuple[str, int]] = set()
    for loop in loops:
        if loop.loop.key in seen or not any(place.key in shared for place in loop.loaders):
            continue
        seen.add(loop.loop.key)
        sums = _added_up(loop.loop)
        share = _Share(loop, sums, _condition(job, loop, shared))
        for place in _after(loop.loop):
            yield from _reduced(job, share, place)
    yield from _normalized(job)


class _Share(NamedTuple):
    """A loop through a share of the data, what it adds up, and when it is one of several such loops."""

    loop: TrainingLoop
    sums: dict[str, bool]
    condition: str | None
    """What holds when the data are shared; nothing, where they always are, None where it cannot be asked."""


def _condition(job: Job, loop: TrainingLoop, shared: set[tuple[str, int]]) -> str | None:
    """What tells a pass through a share from one through all data, where one loop does both."""
    if all(origin.key in shared for origin in job.origins.of_batches(loop.batches)):
        return ""
    if not is_simple(loop.batches.node) or function_around(loop.batches) != function_around(loop.loop):
        return None
    sampler = job.names(loop.loop).sampler
    return f'isinstance(getattr({loop.batches.text}, "sampler", None), {sampler})'


def _normalized(job: Job) -> Iterator[Change]:
    """Batch normalization takes its statistics from the share that a process has."""
    first = next((call for call in job.program.places("call") if callee_name(call) in _NORMS), None)
    if first is not None:
        yield reported_only(CODE, "batch_norm", first, Severity.INFORMATION, text=last_name(first.node))


def _added_up(loop: Place) -> dict[str, bool]:
    """What a loop adds up, by name; whether it is a list of all values."""
    found: dict[str, bool] = {}
    for node in below(loop.node):
        left = field(node, "left")
        if (
            node.type == "augmented_assignment"
            and left is not None
            and left.type in ("identifier", "attribute")
        ):
            operator = field(node, "operator")
            if operator is not None and text_of(operator) == "+=":
                found[text_of(left)] = False
        elif node.type == "assignment" and left is not None:
            right = field(node, "right")
            if right is not None and text_of(right).startswith(f"{text_of(left)} + "):
                found[text_of(left)] = False
        elif node.type == "call" and last_name(node) == "append":
            function = field(node, "function")
            receiver = field(function, "object") if function is not None else None
            if receiver is not None:
                found[text_of(receiver)] = True
    return found


def _after(loop: Place) -> Iterator[Place]:
    """The divisions and means after a loop, in its function."""
    function = function_around(loop)
    scope = function.node if function is not None else loop.file.root
    for node in below(scope):
        if node.start_byte >= loop.node.end_byte and node.type in (
            "binary_operator",
            "augmented_assignment",
            "call",
        ):
            yield Place(loop.file, node)


def _reduced(job: Job, share: _Share, place: Place) -> Iterator[Change]:
    node, sums = place.node, share.sums
    if node.type == "call":
        mean = _mean_of_list(node, sums)
        if mean is not None:
            yield from _replaced(job, share, place, node, "mean")
        return
    left, right, operator = (field(node, name) for name in ("left", "right", "operator"))
    if left is None or right is None or operator is None or text_of(operator) not in ("/", "/="):
        return
    if not any(_is_sum(item, sums) for item in (left, *below(left))):
        return
    kind = "mean" if _is_of_share(share.loop, right, sums) else "sum"
    if node.type == "augmented_assignment":
        yield from _updated(job, share, place, left, right, kind)
    elif kind == "mean":
        yield from _replaced(job, share, place, node, kind)
    else:
        yield from _replaced(job, share, place, left, kind)


def _is_sum(node: Node, sums: dict[str, bool]) -> bool:
    if node.type == "call" and last_name(node) == "sum":
        first = arguments_of(node).at(0)
        return first is not None and sums.get(text_of(first.value), False)
    return node.type in ("identifier", "attribute") and sums.get(text_of(node)) is False


def _mean_of_list(call: Node, sums: dict[str, bool]) -> bool | None:
    """``np.mean(losses)``."""
    first = arguments_of(call).at(0)
    is_mean = last_name(call) in _MEANS and first is not None
    return True if is_mean and first is not None and sums.get(text_of(first.value), False) else None


def _is_of_share(loop: TrainingLoop, divisor: Node, sums: dict[str, bool]) -> bool:
    """Whether a divisor counts what one process went through: batches, items, or its loop's rounds."""
    node = without_parentheses(divisor)
    counted = {text_of(item) for item in below(field(loop.loop.node, "left") or loop.loop.node)}
    names = {text_of(item) for item in (node, *below(node)) if item.type in ("identifier", "attribute")}
    if names & (counted | sums.keys()):
        return True
    if node.type != "call" or last_name(node) != "len":
        return False
    first = arguments_of(node).at(0)
    if first is None:
        return False
    given = text_of(first.value)
    return given == loop.batches.text or given.lower().endswith("loader")


def _updated(job: Job, share: _Share, place: Place, left: Node, right: Node, kind: str) -> Iterator[Change]:
    """``total /= len(loader)``."""
    if not job.meeting.is_common(place) or (kind == "sum" and share.condition is None):
        yield _reported(place, place.node)
        return
    names, statement = job.names(place), statement_around(place.node)
    if kind == "mean":
        text = f"{text_of(left)} = {names.mean_over_processes}({text_of(left)})\n"
        operation = Operation(OperationKind.AFTER, statement.start_byte, statement.end_byte, text)
    else:
        only = f"if {share.condition}:\n    " if share.condition else ""
        text = f"{only}{text_of(left)} = {names.sum_over_processes}({text_of(left)})\n"
        operation = Operation(OperationKind.BEFORE, statement.start_byte, statement.end_byte, text)
    yield done(CODE, "reduced", place, operation, text=first_line(place.text))


def _replaced(job: Job, share: _Share, place: Place, node: Node, kind: str) -> Iterator[Change]:
    """The figure in its expression; before the statement, where one process alone may go through that."""
    is_late = any(parent.type in _LATER for parent in ancestors(node))
    if is_late or not job.meeting.is_common(place) or (kind == "sum" and share.condition is None):
        yield _reported(place, node)
        return
    names, statement = job.names(place), statement_around(node)
    reduce = names.mean_over_processes if kind == "mean" else names.sum_over_processes
    inner = without_parentheses(node)
    only = f" if {share.condition} else {{0}})" if share.condition and kind == "sum" else ""
    reduced = f"({reduce}({{0}}){only}" if only else f"{reduce}({{0}})"
    is_kept = statement.type in ("return_statement",) or _is_assigned(statement)
    if is_kept:
        operations = [
            Operation(OperationKind.EXPRESSION, inner.start_byte, inner.end_byte, reduced.format("$0"))
        ]
    else:
        name = names.new("figure")
        text = f"{name} = {reduced.format(place.file.text_of(inner))}\n"
        operations = [
            Operation(OperationKind.BEFORE, statement.start_byte, statement.end_byte, text),
            Operation(OperationKind.EXPRESSION, inner.start_byte, inner.end_byte, name),
        ]
    yield done(CODE, "reduced", place, *operations, text=first_line(place.file.text_of(node)))


def _is_assigned(statement: Node) -> bool:
    first = statement.named_children[0] if statement.named_children else None
    return (
        statement.type == "expression_statement"
        and first is not None
        and first.type
        in (
            "assignment",
            "augmented_assignment",
        )
    )


def _reported(place: Place, node: Node) -> Change:
    return reported_only(CODE, "share", place, Severity.WARNING, text=first_line(place.file.text_of(node)))
