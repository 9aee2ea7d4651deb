"""NPU423: the model is wrapped once it is made, on its device and, with apex, initialized."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ....limits.walks import PROGRAM_WALK_LIMITS
from ....model.finding import Severity
from ....text.syntax import ancestors, arguments_of, field, text_of
from ...change import Change, done, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..data.roles import TrainingLoop
from ..job import Job
from .target import Target, scope_holds

CODE = "NPU423"
_MOVES = frozenset({"to", "cuda", "npu"})
_BLOCKS = frozenset({"block", "module"})


def wrap_models(job: Job, targets: Iterable[Target], loops: list[TrainingLoop]) -> Iterator[Change]:
    """The wrapping of each named model; and what is said of models that are trained without a name."""
    chosen = list(targets)
    for target in chosen:
        yield from _wrapped(job, target, loops)
    yield from _other_models(job, chosen)


def wrapped_at(job: Job, target: Target, loops: list[TrainingLoop]) -> Node | None:
    """The statement after which a model is wrapped."""
    signs = [_statement(place.node) for place in target.assignments]
    signs += list(_set_up(job, target))
    first_use = _first_training(job, target, loops)
    early = [node for node in signs if first_use is None or node.start_byte < first_use] or signs[:1]
    block = _common_block(early)
    inner = [child for child in block.named_children if any(_holds(child, node) for node in early)]
    return inner[-1] if inner else None


def _wrapped(job: Job, target: Target, loops: list[TrainingLoop]) -> Iterator[Change]:
    anchor = wrapped_at(job, target, loops)
    if anchor is None:
        return
    names = job.names(target.file)
    model = target.spelling
    is_moved = _is_moved(job, target)
    devices = f", device_ids=[{names.npu('torch_npu.npu.current_device')}()]" if is_moved else ""
    text = f"if {names.dist}.is_initialized():\n    {model} = {names.wrapper}({model}{devices})\n"
    operation = Operation(OperationKind.AFTER, anchor.start_byte, anchor.end_byte, text)
    yield done(CODE, "wrapped", target.assignments[0], operation, model=model)
    if not is_moved:
        yield reported_only(CODE, "unmoved", target.assignments[0], Severity.INFORMATION, model=model)


def _statement(node: Node) -> Node:
    """The whole statement around a node, compound ones only when the node is in their head."""
    current = node
    for parent in ancestors(node):
        if parent.type in _BLOCKS:
            return current
        current = parent
    return current


def _set_up(job: Job, target: Target) -> Iterator[Node]:
    """Statements of the same scope that move the model, initialize it with apex, or freeze parts of it."""
    for node in job.program.nodes(target.file, "call"):
        if not scope_holds(target.scope, node):
            continue
        function = field(node, "function")
        name = callee_name(Place(target.file, node)).rpartition(".")[2]
        if name == "initialize" and _passes(node, target):
            yield _statement(node)
        elif function is not None and function.type == "attribute":
            receiver, method = field(function, "object"), field(function, "attribute")
            if receiver is None or method is None or text_of(receiver) != target.spelling:
                continue
            if text_of(method) in _MOVES or text_of(method) in ("requires_grad_", "apply", "half"):
                yield _statement(node)
    for node in job.program.nodes(target.file, "for_statement"):
        iterable = field(node, "right")
        freezes = b"requires_grad" in (node.text or b"") and scope_holds(target.scope, node)
        if freezes and iterable is not None and text_of(iterable).startswith(f"{target.spelling}."):
            yield node


def _passes(call: Node, target: Target) -> bool:
    return any(text_of(item.value) == target.spelling for item in arguments_of(call).items)


def _is_moved(job: Job, target: Target) -> bool:
    """Whether the model is visibly put on a device, where it is made or in what makes it."""
    for node in _set_up(job, target):
        if any(f".{move}(" in text_of(node) for move in _MOVES):
            return True
    for place in target.assignments:
        assignment = place.node.parent
        value = field(assignment, "right") if assignment is not None else None
        if value is None:
            continue
        if any(f".{move}(" in text_of(value) for move in _MOVES):
            return True
        function = job.program.callee(Place(place.file, value)) if value.type == "call" else None
        made_by = function.text if function is not None and function.node.type != "class_definition" else ""
        if any(f".{move}(" in made_by for move in _MOVES):
            return True
    return False


def _first_training(job: Job, target: Target, loops: list[TrainingLoop]) -> int | None:
    """Where training begins in the scope that makes the model."""
    starts: list[int] = []
    pending = [(loop.loop, 0) for loop in loops]
    for place, depth in pending:
        if place.file is target.file and scope_holds(target.scope, place.node):
            outermost = place.node
            for parent in ancestors(place.node):
                if parent == target.scope:
                    break
                outermost = parent if parent.type in ("for_statement", "while_statement") else outermost
            inside = any(_holds(outermost, item.node) for item in target.assignments)
            starts.append(_statement(place.node).start_byte if inside else _statement(outermost).start_byte)
        function = function_around(place)
        if function is not None and depth < PROGRAM_WALK_LIMITS.callers:
            pending += [(call, depth + 1) for call in job.program.calls_of(function)]
    return min(starts, default=None)


def _common_block(nodes: list[Node]) -> Node:
    """The innermost block that holds all nodes."""
    for parent in ancestors(nodes[0]):
        if parent.type in _BLOCKS and all(_holds(parent, node) for node in nodes):
            return parent
    raise ValueError("nodes of different files")


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _other_models(job: Job, targets: list[Target]) -> Iterator[Change]:
    """Models whose parameters an optimizer gets, and which are none of those that were named."""
    seen: set[str] = set()
    for call in job.program.places("call"):
        if not callee_name(call).startswith("torch.optim.") or "lr_scheduler" in callee_name(call):
            continue
        for node in job.program.nodes(call.file, "attribute"):
            receiver, name = field(node, "object"), field(node, "attribute")
            if name is None or receiver is None or not _holds(call.node, node):
                continue
            if not text_of(name).endswith("parameters") or receiver.type not in ("identifier", "attribute"):
                continue
            if text_of(receiver) in seen or _belongs(Place(call.file, receiver), targets):
                continue
            seen.add(text_of(receiver))
            named = ",".join([*(target.name for target in targets), text_of(receiver)])
            place = Place(call.file, receiver)
            yield reported_only(CODE, "other", place, Severity.ERROR, model=text_of(receiver), targets=named)


def _belongs(expression: Place, targets: list[Target]) -> bool:
    """Whether an expression is one of the models, or a part of one."""
    node: Node | None = expression.node
    while node is not None and node.type in ("identifier", "attribute"):
        if any(target.stands_for(Place(expression.file, node)) for target in targets):
            return True
        node = field(node, "object") if node.type == "attribute" else None
    return False
