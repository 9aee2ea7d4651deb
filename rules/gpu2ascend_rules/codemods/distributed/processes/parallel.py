"""NPU424: DataParallel, which runs one process on several cards, gives way to one process for each card."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tree_sitter import Node

from ....model.finding import Severity
from ....text.syntax import ancestors, arguments_of, enclosing, enclosing_statement, field, parts_of, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, qualified
from ..job import Job
from ..places import is_simple

CODE = "NPU424"
WRAPPERS = frozenset({"torch.nn.DataParallel", "torch.nn.parallel.DataParallel",
                       "torch.nn.parallel.data_parallel.DataParallel"})  # fmt: skip
FUNCTIONS = frozenset({"torch.nn.parallel.data_parallel", "torch.nn.parallel.data_parallel.data_parallel"})
PARTS = frozenset(
    [f"torch.nn.parallel.{name}" for name in ("replicate", "scatter", "gather", "parallel_apply")]
    + [f"torch.nn.parallel.{module}.{name}" for module, name in (
        ("replicate", "replicate"), ("scatter_gather", "scatter"), ("scatter_gather", "scatter_kwargs"),
        ("scatter_gather", "gather"), ("parallel_apply", "parallel_apply"))]
)  # fmt: skip
"""The steps that DataParallel consists of."""
_BY_HAND = PARTS.union(
    f"torch.{module}.comm.{name}" for module in ("cuda", "nn.parallel") for name in (
        "broadcast", "broadcast_coalesced", "reduce_add", "reduce_add_coalesced", "scatter", "gather")
)  # fmt: skip
"""What a program calls that runs its model on several cards by itself."""


def remove_data_parallel(job: Job) -> Iterator[Change]:
    """The changes that leave no DataParallel; what was reached through it is reached past any wrapper."""
    wrapped = False
    for call in job.program.places("call"):
        name = callee_name(call)
        if name in WRAPPERS:
            wrapped = True
            yield from _without_wrapper(call)
        elif name in FUNCTIONS:
            yield from _without_function(call)
        elif name in _BY_HAND and not any(
            outer.type == "call" and callee_name(Place(call.file, outer)) in _BY_HAND
            for outer in ancestors(call.node)
        ):
            yield reported_only(CODE, "by_hand", call, Severity.ERROR, text=first_line(call.text))
        elif name == "isinstance":
            yield from _asked_for(job, call)
    if wrapped:
        yield from _reached_through(job)


def _without_wrapper(call: Place) -> Iterator[Change]:
    module = arguments_of(call.node).get("module", 0)
    if module is None:
        return
    statement = enclosing_statement(call.node)
    if _assigns_to_itself(statement, call.node, module.value):
        operation = Operation.at(OperationKind.REMOVE, statement)
    else:
        operation = Operation.at(OperationKind.ARGUMENT, call.node, "module")
    yield done(CODE, "removed", call, operation, text=first_line(call.text))


def _assigns_to_itself(statement: Node, call: Node, module: Node) -> bool:
    """Whether a statement is ``model = DataParallel(model)``, perhaps moved to a device it is on anyway."""
    assignment = statement.named_children[0] if statement.type == "expression_statement" else None
    if assignment is None or assignment.type != "assignment":
        return False
    left, right = field(assignment, "left"), field(assignment, "right")
    return left is not None and right == call and text_of(left) == text_of(module)


def _without_function(call: Place) -> Iterator[Change]:
    arguments = arguments_of(call.node)
    module, inputs = arguments.get("module", 0), arguments.get("inputs", 1)
    if module is None or inputs is None or not is_simple(module.value) or len(arguments.items) > 5:
        return
    given = call.file.text_of(inputs.value)
    if inputs.value.type == "tuple":
        given = ", ".join(call.file.text_of(child) for child in inputs.value.named_children)
    text = f"{text_of(module.value)}({given})"
    operation = Operation.at(OperationKind.EXPRESSION, call.node, text)
    yield done(CODE, "removed", call, operation, text=first_line(call.text))


def _asked_for(job: Job, call: Place) -> Iterator[Change]:
    """``isinstance(model, DataParallel)`` asks for the wrapper that takes its place."""
    classes = arguments_of(call.node).at(1)
    if classes is None:
        return
    listed = classes.value.named_children if classes.value.type == "tuple" else [classes.value]
    for node in listed:
        place = Place(call.file, node)
        if qualified(place) in WRAPPERS:
            text = job.names(place).wrapper
            operation = Operation.at(OperationKind.EXPRESSION, node, text)
            yield done(CODE, "asked", place, operation, text=first_line(call.text))


def _reached_through(job: Job) -> Iterator[Change]:
    """``model.module`` exists no longer in a process on its own."""
    for place in job.program.places("attribute"):
        receiver, name = field(place.node, "object"), field(place.node, "attribute")
        if receiver is None or text_of(name) != "module" or not is_simple(receiver):
            continue
        if text_of(receiver) == "self" or qualified(Place(place.file, receiver)) or _is_tested(place.node):
            continue
        kind = _holder(job, Place(place.file, receiver))
        if kind is _Holder.OTHER:
            continue
        given = place.file.text_of(receiver)
        is_known = kind is _Holder.WRAPPER
        text = (
            f"{job.names(place).unwrap_model}({given})"
            if is_known
            else f'getattr({given}, "module", {given})'
        )
        operation = Operation.at(OperationKind.EXPRESSION, place.node, text)
        yield done(CODE, "module", place, operation, text=first_line(place.text))


class _Holder(enum.Enum):
    """What ``.module`` is asked of."""

    WRAPPER = "wrapper"
    OTHER = "other"
    """Something that has a module of its own, such as an average of the model."""
    UNKNOWN = "unknown"


def _holder(job: Job, receiver: Place) -> _Holder:
    origins = job.origins.of(receiver)
    calls = [origin for origin in origins if origin.node.type == "call"]
    if any(callee_name(call) in WRAPPERS for call in calls):
        return _Holder.WRAPPER
    if any(callee_name(call).endswith("AveragedModel") or _keeps_module(job, call) for call in calls):
        return _Holder.OTHER
    return _Holder.WRAPPER if calls else _Holder.UNKNOWN


def _keeps_module(job: Job, call: Place) -> bool:
    """Whether a class of the program has an attribute ``module``."""
    owner = job.program.class_of(call)
    if owner is None:
        return False
    return any(b"self.module" in (item.node.text or b"") for item in job.program.family(owner))


def _is_tested(access: Node) -> bool:
    """Whether ``model.module`` is read only if there is one: ``… if hasattr(model, "module") else …``."""
    choice = enclosing(access, "conditional_expression")
    branch = enclosing(access, "if_statement")
    asked = parts_of(choice)[1] if choice is not None else field(branch, "condition") if branch else None
    return asked is not None and any(word in text_of(asked) for word in ("isinstance", "hasattr"))
