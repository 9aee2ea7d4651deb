"""Weights in files: ``torch.save(model.state_dict(), path)`` and its counterpart."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...correspondences.call_edits import edits_of
from ...correspondences.rendering import Piece, Slot
from ...correspondences.values import Refused
from ...engine.scan import scan_members, scan_names
from ...text.syntax import arguments_of, call_of, field, last_name
from .evidence import ROOTS, Evidence
from .use import Reason, Use, changed, refused

SAVE, LOAD = "torch.save", "torch.load"
STATE, INTO = "torch.nn.Module.state_dict", "torch.nn.Module.load_state_dict"


def uses_of_checkpoints(evidence: Evidence) -> Iterator[Use]:
    """What becomes of the calls that save or load the weights of one module."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name == SAVE and ref.call is not None:
            evidence.take_care_of(ref.node)
            yield _saved(evidence, ref.call)
    for member in scan_members(evidence.source, ["load_state_dict"]):
        call = call_of(member.node)
        if call is not None and evidence.is_module(member.receiver):
            evidence.take_care_of(member.node)
            yield _loaded(evidence, call, member.receiver)


def _saved(evidence: Evidence, call: Node) -> Use:
    arguments = arguments_of(call)
    what, where = arguments.get("obj", 0), arguments.get("f", 1)
    owner = _owner(what.value) if what is not None and last_name(what.value) == "state_dict" else None
    if owner is None or where is None or len(arguments.items) != 2 or not evidence.is_module(owner):
        return refused(SAVE, call, Reason.CHECKPOINT)
    state = what.value if what is not None else call
    evidence.take_care_of(state)
    return _written(SAVE, call, ["ms.save_checkpoint(", Slot(owner), ", ", Slot(where.value), ")"])


def _loaded(evidence: Evidence, call: Node, model: Node) -> Use:
    arguments = arguments_of(call)
    state = arguments.at(0)
    load = state.value if state is not None and state.value.type == "call" else None
    function = field(load, "function") if load is not None else None
    resolution = evidence.source.names.qualified_name(function) if function is not None else None
    path = arguments_of(load).at(0) if load is not None else None
    if resolution is None or resolution.qualified_name != LOAD or path is None or len(arguments.items) != 1:
        return refused(INTO, call, Reason.CHECKPOINT)
    assert function is not None
    evidence.take_care_of(function)
    pieces: list[Piece] = [
        "ms.load_param_into_net(",
        Slot(model),
        ", ms.load_checkpoint(",
        Slot(path.value),
        "))",
    ]
    return _written(INTO, call, pieces)


def _written(api: str, call: Node, pieces: list[Piece]) -> Use:
    try:
        return changed(api, call, edits_of(call, pieces), {"ms"})
    except Refused:
        return refused(api, call, Reason.LAYOUT)


def _owner(call: Node) -> Node | None:
    function = field(call, "function") if call.type == "call" else None
    return field(function, "object") if function is not None else None
