"""NPU425: what is asked of the model itself, its state above all, goes past the wrapper."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....model.finding import Severity
from ....text.syntax import arguments_of, call_of, enclosing, field, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name
from ..job import Job
from .target import Target, scope_holds

CODE = "NPU425"
_WRAPPER_TOO = frozenset(
    {"train", "eval", "training", "parameters", "zero_grad", "to", "cuda", "npu", "cpu", "half", "float",
     "double", "bfloat16", "requires_grad_", "forward", "apply", "no_sync", "join", "module", "__call__"}
)  # fmt: skip
"""What the wrapper does as the model would, or defines itself."""
_OF_MODULE = frozenset(
    {"state_dict", "load_state_dict", "named_parameters", "named_modules", "named_children", "children",
     "modules", "buffers", "named_buffers", "get_submodule", "get_parameter", "get_buffer", "register_buffer",
     "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "add_module",
     "share_memory", "extra_repr", "compile"}
)  # fmt: skip
_TAKE_A_MODEL = frozenset(
    {"torch.save", "copy.deepcopy", "isinstance", "getattr", "hasattr", "type", "torch.jit.script",
     "torch.jit.trace", "torch.onnx.export", "torch.optim.swa_utils.AveragedModel"}
)  # fmt: skip


def unwrap_uses(job: Job, target: Target, wrapped_at: Node | None) -> Iterator[Change]:
    """The changes of a model's uses after it is wrapped."""
    for place in job.program.places("attribute"):
        receiver, name = field(place.node, "object"), field(place.node, "attribute")
        if receiver is None or name is None or text_of(name) in _WRAPPER_TOO:
            continue
        model = Place(place.file, receiver)
        if _is_before(target, wrapped_at, place) or not target.stands_for(model):
            continue
        yield _unwrapped(job, model, text_of(name))
        if call_of(place.node) is not None and text_of(name) not in _OF_MODULE:
            yield _past_the_wrapper(job, place, text_of(name))
    for call in job.program.places("call"):
        if callee_name(call) in _TAKE_A_MODEL and not _is_before(target, wrapped_at, call):
            if callee_name(call) == "isinstance" and _asks_for_wrapper(call):
                continue
            yield from _as_argument(job, target, call)


def _is_before(target: Target, wrapped_at: Node | None, place: Place) -> bool:
    """Whether a place is passed before the model is wrapped."""
    if wrapped_at is None or place.file is not target.file:
        return False
    return place.node.start_byte < wrapped_at.end_byte and scope_holds(target.scope, place.node)


def _unwrapped(job: Job, model: Place, attribute: str) -> Change:
    text = f"{job.names(model).unwrap_model}($0)"
    operation = Operation(OperationKind.EXPRESSION, model.node.start_byte, model.node.end_byte, text)
    return done(CODE, "unwrapped", model, operation, text=f"{first_line(model.text)}.{attribute}")


def _past_the_wrapper(job: Job, place: Place, method: str) -> Change:
    """A method that computes the loss past the wrapper leaves each process its own gradients."""
    function = enclosing(place.node, "function_definition")
    around = function if function is not None else place.file.root
    trains = b".backward(" in (around.text or b"")
    severity = Severity.ERROR if trains else Severity.INFORMATION
    return reported_only(CODE, "method", place, severity, method=method)


def _as_argument(job: Job, target: Target, call: Place) -> Iterator[Change]:
    """The model itself is saved, copied or asked for its class."""
    for argument in arguments_of(call.node).items:
        for node in _values(argument.value):
            model = Place(call.file, node)
            if target.stands_for(model):
                text = f"{job.names(model).unwrap_model}($0)"
                operation = Operation(OperationKind.EXPRESSION, node.start_byte, node.end_byte, text)
                yield done(CODE, "unwrapped", model, operation, text=first_line(call.text))


def _asks_for_wrapper(call: Place) -> bool:
    classes = arguments_of(call.node).at(1)
    return classes is not None and "DataParallel" in text_of(classes.value)


def _values(node: Node) -> Iterator[Node]:
    """An argument, or the values of a dictionary that is one."""
    if node.type == "dictionary":
        for pair in node.named_children:
            value = field(pair, "value")
            if value is not None:
                yield value
    elif node.type in ("identifier", "attribute"):
        yield node
