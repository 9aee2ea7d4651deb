"""NPU425: what is asked of the model itself, its state above all, goes past the wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ....inference.walk.targets import values_returned
from ....limits.below import nodes_in
from ....limits.parents import parent_of, parent_type
from ....model.finding import Severity
from ....text.syntax import ancestors, arguments_of, call_of, called_on, field, last_name, text_of
from ...change import Change, done, first_line, reported_only
from ...operations import Operation, OperationKind
from ...program import Place, callee_name, function_around
from ..data.gradients import is_trained
from ..job import Job
from ..places import below
from .identity import is_module
from .target import Target, scope_holds

_GO_THROUGH = frozenset({"len", "list", "tuple", "iter", "enumerate", "reversed", "zip"})
_NAMES = frozenset({"identifier", "attribute"})
_LOOPS = frozenset({"for_statement", "for_in_clause"})
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
     "torch.jit.trace", "torch.onnx.export", "torch.optim.swa_utils.AveragedModel", "pickle.dump",
     "joblib.dump", "copy.copy", "timm.utils.ModelEma", "timm.utils.ModelEmaV2", "timm.utils.ModelEmaV3",
     "ema_pytorch.EMA", "timm.utils.model_ema.ModelEma", "timm.utils.model_ema.ModelEmaV2",
     "vars", "safetensors.torch.save_model", "safetensors.torch.load_model", "torchinfo.summary",
     "torchsummary.summary", "thop.profile", "ptflops.get_model_complexity_info",
     "fvcore.nn.FlopCountAnalysis", "torch.export.export", "mlflow.pytorch.log_model",
     "mlflow.pytorch.save_model"}
)  # fmt: skip
_METHODS_THAT_TAKE_A_MODEL = frozenset({"add_graph"})
"""Methods of a TensorBoard writer, which one process alone calls: the wrapper would wait for the others."""
_COMPUTE_NOTHING = frozenset(
    {"save_pretrained", "push_to_hub", "print_trainable_parameters", "get_input_embeddings", "num_parameters"}
)
"""Methods of models of libraries that save or tell something."""
_OF_PARAMETERS = re.compile(r"\bself(?:\.\w+)*\.(?:(?:named_)?(?:parameters|buffers)\b|(?:weight|bias)\.)")
_OWN = re.compile(r"\b(?:self|super\(\))\b")
_SAVE = frozenset({"torch.save", "pickle.dump", "joblib.dump"})
_NO_MODULES = frozenset({"list", "tuple", "dict", "set", "str", "int", "float"})
_CONTAINERS = frozenset({"dictionary", "list", "tuple", "set"})


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


def unwrap_uses(job: Job, target: Target, wrapped_at: Node | None) -> Iterator[Change]:
    """The changes of a model's uses after it is wrapped."""
    for place in job.program.places("attribute"):
        receiver, name = field(place.node, "object"), field(place.node, "attribute")
        if receiver is None or name is None or text_of(name) in _WRAPPER_TOO:
            continue
        model = Place(place.file, receiver)
        if _is_before(target, wrapped_at, place) or not target.is_model(model):
            continue
        yield _unwrapped(job, model, text_of(name))
        asking = call_of(place.node)
        if asking is not None and text_of(name) not in _OF_MODULE:
            yield from _past_the_wrapper(job, place, model, asking, text_of(name))
    yield from _parts_in_order(job, target, wrapped_at)
    yield from _taken_off_its_device(job, target, wrapped_at)
    for call in job.program.places("call"):
        is_taken = callee_name(call) in _TAKE_A_MODEL or last_name(call.node) in _METHODS_THAT_TAKE_A_MODEL
        if is_taken and not _is_before(target, wrapped_at, call):
            if _asks_for_wrapper(call):
                continue
            yield from _as_argument(job, target, call)


def _parts_in_order(job: Job, target: Target, wrapped_at: Node | None) -> Iterator[Change]:
    """``model[0]``, ``len(model)``, ``for layer in model``: the wrapper is no sequence."""
    for use in sequence_uses(job, target):
        if _is_before(target, wrapped_at, use.model):
            continue
        shown = first_line(text_of(use.whole))
        yield _unwrapped_as(job, use.model, shown)
        found = [
            item
            for call in use.computing
            for item in _past_the_wrapper(job, use.model, use.model, call, shown)
        ]
        yield from sorted(found, key=lambda item: item.severity is not Severity.ERROR)[:1]


def _is_before(target: Target, wrapped_at: Node | None, place: Place) -> bool:
    """Whether a place is passed before the model is wrapped."""
    if wrapped_at is None or place.file is not target.file:
        return False
    return place.node.start_byte < wrapped_at.end_byte and scope_holds(target.scope, place.node)


def _taken_off_its_device(job: Job, target: Target, wrapped_at: Node | None) -> Iterator[Change]:
    """``model.cpu().state_dict()``: the model itself stays on its device, where the others train on."""
    for place in job.program.places("attribute"):
        moved, name = field(place.node, "object"), field(place.node, "attribute")
        if moved is None or text_of(name) != "state_dict" or moved.type != "call":
            continue
        if last_name(moved) != "cpu" or _is_before(target, wrapped_at, place):
            continue
        model = called_on(moved)
        if model is not None:
            names = job.names(place)
            held = "$0" if text_of(model).endswith(".module") else f"{names.unwrap_model}($0)"
            text = f"{names.copy}.deepcopy({held})"
            operation = Operation.at(OperationKind.EXPRESSION, model, text)
            yield done(CODE, "unwrapped", place, operation, text=first_line(place.text))


def _unwrapped(job: Job, model: Place, attribute: str) -> Change:
    return _unwrapped_as(job, model, f"{first_line(model.text)}.{attribute}")


def _unwrapped_as(job: Job, model: Place, shown: str) -> Change:
    text = f"{job.names(model).unwrap_model}($0)"
    operation = Operation.at(OperationKind.EXPRESSION, model.node, text)
    return done(CODE, "unwrapped", model, operation, text=shown)


def _past_the_wrapper(job: Job, place: Place, model: Place, call: Node, method: str) -> Iterator[Change]:
    """A method that computes the loss past the wrapper leaves each process its own gradients."""
    if _is_without_gradients(job, place, call) or _computes_nothing(job, method):
        return
    if is_trained(place.file, call):
        yield reported_only(CODE, "method", place, Severity.ERROR, method=method)
    elif method not in _COMPUTE_NOTHING and not _is_evaluated(job, model):
        yield reported_only(CODE, "method", place, Severity.INFORMATION, method=method)


def _computes_nothing(job: Job, method: str) -> bool:
    """Whether no method of a name that modules of the program have returns a value that layers compute.

    What is made of the parameters alone, as a penalty, is the same in all processes.
    """
    owners = (item for item in job.program.places("class_definition") if is_module(job.program, item))
    found = [item for owner in owners if (item := job.program.method(owner, method)) is not None]
    giving = [item for item in found if any(True for _ in values_returned(item.node))]
    return bool(found) and not any(_calls_parts(item, call) for item in giving for call in _calls(item.node))


def _calls(function: Node) -> Iterator[Node]:
    return (node for node in nodes_in(function) if node.type == "call")


def _calls_parts(method: Place, call: Node) -> bool:
    """Whether a call may be one of a part of a module: of an attribute, or of a name that is given one."""
    function = field(call, "function")
    if function is None:
        return False
    given = [_OF_PARAMETERS.sub("", text_of(function))]
    root = text_of(function).partition(".")[0]
    for binding in method.file.names.bindings_in_scope(root, function):
        source = binding.value or field(binding.statement, "right")
        given.append(_OF_PARAMETERS.sub("", text_of(source)))
    return any(_OWN.search(text) is not None for text in given)


def _is_evaluated(job: Job, model: Place) -> bool:
    """Whether a model was put into evaluation before a use, in the function of that, and not back since."""
    function = function_around(model)
    switches = [
        last_name(call)
        for call in job.program.nodes(model.file, "call")
        if text_of(field(call, "function") or call) in (f"{model.text}.eval", f"{model.text}.train")
        and call.start_byte < model.node.start_byte
        and function_around(Place(model.file, call)) == function
    ]
    return switches[-1:] == ["eval"]


def _is_without_gradients(job: Job, place: Place, call: Node) -> bool:
    """Whether what a method computes is never trained: it is below ``no_grad``, or is under it itself."""
    for parent in ancestors(call):
        if parent.type == "with_statement" and _says_no_gradients(text_of(parent).partition(":")[0]):
            return True
        if parent.type == "decorated_definition" and _is_decorated(parent):
            return True
    owner = job.program.callee(Place(place.file, call))
    holder = parent_of(owner.node) if owner is not None else None
    return holder is not None and holder.type == "decorated_definition" and _is_decorated(holder)


def _is_decorated(definition: Node) -> bool:
    return any(
        _says_no_gradients(text_of(child)) for child in definition.named_children if child.type == "decorator"
    )


def _says_no_gradients(text: str) -> bool:
    return "no_grad" in text or "inference_mode" in text


def _as_argument(job: Job, target: Target, call: Place) -> Iterator[Change]:
    """The model itself is saved, copied or asked for its class."""
    for argument in arguments_of(call.node).items:
        for model in _saved_with(job, Place(call.file, argument.value), is_saved=callee_name(call) in _SAVE):
            if target.is_model(model):
                node = model.node
                text = f"{job.names(model).unwrap_model}($0)"
                if parent_type(node) == "attribute":  # it stays on its device
                    text = f"{job.names(model).copy}.deepcopy({text})"
                operation = Operation.at(OperationKind.EXPRESSION, node, text)
                yield done(CODE, "unwrapped", model, operation, text=first_line(call.text))
    yield from _holder_saved(job, target, call)


def _saved_with(job: Job, argument: Place, *, is_saved: bool) -> Iterator[Place]:
    """An argument and what it holds, also where a dictionary that is saved was made before."""
    pending = list(_values(argument.node))
    for node in pending:
        if node.type in ("identifier", "attribute"):
            yield Place(argument.file, node)
    if not is_saved or argument.node.type not in ("identifier", "attribute"):
        return
    for origin in job.origins.of(argument):
        if origin.node.type in _CONTAINERS or (
            origin.node.type == "call" and last_name(origin.node) == "dict"
        ):
            for node in _values(origin.node):
                yield Place(origin.file, node)


def _holder_saved(job: Job, target: Target, call: Place) -> Iterator[Change]:
    """What holds the wrapped model is saved as a whole: the file would hold the wrapper."""
    first = arguments_of(call.node).at(0)
    if target.owner is None or first is None or callee_name(call) not in _SAVE:
        return
    owner = job.program.class_of(Place(call.file, first.value))
    if owner is not None and owner.key == target.owner.key:
        yield reported_only(
            CODE, "holder", call, Severity.ERROR, model=target.name, text=first_line(call.text)
        )


def _asks_for_wrapper(call: Place) -> bool:
    """Whether a model is asked for being wrapped: by its class, or by the attribute that a wrapper has.

    For what is no module at all, a list say, it need not be unwrapped either.
    """
    asked = arguments_of(call.node).at(1)
    if asked is None or callee_name(call) not in ("isinstance", "hasattr", "getattr"):
        return False
    if callee_name(call) == "isinstance":
        classes = asked.value.named_children if asked.value.type == "tuple" else [asked.value]
        is_other = all(text_of(one) in _NO_MODULES for one in classes)
        return is_other or "DataParallel" in text_of(asked.value)
    return asked.value.type == "string" and text_of(asked.value).strip("'\"") == "module"


def _values(node: Node) -> Iterator[Node]:
    """An argument, or what a dictionary, a list or a tuple that is one holds."""
    if node.type in _CONTAINERS:
        for child in node.named_children:
            value = field(child, "value") if child.type == "pair" else child
            if value is not None:
                yield from _values(value)
    elif node.type == "call" and last_name(node) in ("cpu", "to", "half", "float", "eval"):
        receiver = called_on(node)
        if receiver is not None:
            yield from _values(receiver)
    elif node.type == "call" and last_name(node) == "dict":
        for argument in arguments_of(node).items:
            yield from _values(argument.value)
    elif node.type in ("identifier", "attribute"):
        yield node
