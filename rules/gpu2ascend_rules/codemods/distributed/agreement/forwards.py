"""Calls of a wrapped model with buffers: each sends the buffers to all processes, also without gradients.

A call that only some processes come by therefore takes what others send for something else, or never ends.
"""

from __future__ import annotations

from ....text.scopes import BindingKind
from ....text.syntax import field, last_name, text_of
from ...program import Place, callee_name
from ..data.loops import with_callers
from ..job import Job
from ..model.target import Target

_KEEP_BUFFERS = ("BatchNorm", "SyncBatchNorm", "LazyBatchNorm", "register_buffer")
_LIBRARIES_OF_MODELS = ("torchvision.models.", "timm.", "transformers.")
_DEFINED = frozenset({BindingKind.IMPORT, BindingKind.DEFINITION})


def calls_with_buffers(job: Job, targets: list[Target]) -> list[Place]:
    """The calls of the models, if they may have buffers, and of functions that lead to them."""
    if not any(map(_keeps_buffers, job.program.places("call"))):
        return []
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
