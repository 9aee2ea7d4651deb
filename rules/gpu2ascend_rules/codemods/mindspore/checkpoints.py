"""Weights in files: ``torch.save(model.state_dict(), path)`` and its counterpart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...correspondences.call_edits import edits_of
from ...correspondences.rendering import Piece, Slot
from ...correspondences.values import Refused
from ...engine.scan import scan_members, scan_names
from ...model.finding import Edit
from ...text.syntax import arguments_of, call_of, field, last_name, text_of, without_parentheses
from .evidence import ROOTS, Evidence
from .use import Reason, Use, changed, refused

SAVE, LOAD = "torch.save", "torch.load"
_SUFFIX = re.compile(rb"\.pth?$")
"""To a name that ends so MindSpore appends its own when it saves, and it loads no file of such a name."""
_LAST_ARGUMENT = frozenset({"join", "get_path", "str"})
"""Functions that give a path which ends as their last argument does."""
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
    pieces: list[Piece] = ["ms.save_checkpoint(", Slot(owner), ", ", Slot(where.value), ")"]
    return _written(SAVE, call, pieces, where.value)


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
    return _written(INTO, call, pieces, path.value)


def _written(api: str, call: Node, pieces: list[Piece], path: Node) -> Use:
    try:
        return changed(api, call, [*edits_of(call, pieces), *_suffix(path)], {"ms"})
    except Refused:
        return refused(api, call, Reason.LAYOUT)


def _suffix(path: Node) -> Iterator[Edit]:
    """The edit that gives a path the suffix of MindSpore, where its end is written out."""
    end = _end_of(path)
    parts = end.named_children if end is not None else []
    if len(parts) < 2 or parts[-2].type != "string_content":
        return
    found = _SUFFIX.search(parts[-2].text or b"")
    if found is not None:
        yield Edit(parts[-2].end_byte - len(found[0]), parts[-2].end_byte, ".ckpt")


def _end_of(path: Node) -> Node | None:
    """The string that a path ends with, if one is written out."""
    at: Node | None = path
    while at is not None:
        at = without_parentheses(at)
        if at.type == "call":
            at = _ending_argument(at)
        elif at.type == "binary_operator":
            operator = field(at, "operator")
            at = field(at, "left" if operator is not None and text_of(operator) == "%" else "right")
        else:
            return at if at.type == "string" else None
    return None


def _ending_argument(call: Node) -> Node | None:
    if last_name(call) == "format":
        return _owner(call)
    given = arguments_of(call).positional
    return given[-1].value if given and last_name(call) in _LAST_ARGUMENT else None


def _owner(call: Node) -> Node | None:
    function = field(call, "function") if call.type == "call" else None
    return field(function, "object") if function is not None else None
