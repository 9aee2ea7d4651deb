"""Weights in files: ``torch.save(model.state_dict(), path)`` and its counterpart.

The weights of one module in a file whose name is written out are saved and loaded by MindSpore's own
functions. Everything else, as a dictionary with an optimizer, goes by helpers, under the name that it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_definitions, scan_members, scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    call_of,
    called_on,
    field,
    last_name,
    text_of,
    without_parentheses,
)

from ..correspondences.rendering import Piece, Slot
from ..helpers import MINDSPORE
from .evidence import ROOTS, Evidence
from .models.state.parameters import joins_modules
from .use import Reason, Use, changed, helped, refused, written

SAVE, LOAD = "torch.save", "torch.load"
_SUFFIX = re.compile(rb"\.pth?$")
"""To a name that ends so MindSpore appends its own when it saves, and it loads no file of such a name."""
_LAST_ARGUMENT = frozenset({"join", "get_path", "str"})
"""Functions that give a path which ends as their last argument does."""
STATE, INTO = "torch.nn.Module.state_dict", "torch.nn.Module.load_state_dict"


def uses_of_checkpoints(evidence: Evidence) -> Iterator[Use]:
    """What becomes of the calls that save or load, and of states."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name == SAVE and ref.call is not None:
            evidence.take_care_of(ref.node)
            yield _saved(evidence, ref.call, ref.node)
    own = _defines_states(evidence)
    for member in scan_members(evidence.source, ["load_state_dict"]):
        call = call_of(member.node)
        if call is not None and member.receiver_name is None:
            evidence.take_care_of(member.node)
            yield _loaded(evidence, call, member.receiver, own=own)
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name == LOAD and ref.call is not None and not evidence.is_taken_care_of(ref.node):
            evidence.take_care_of(ref.node)
            yield _read(ref.call)
    for member in scan_members(evidence.source, ["state_dict"]):
        call = call_of(member.node)
        if call is not None and member.receiver_name is None and not evidence.is_taken_care_of(member.node):
            evidence.take_care_of(member.node)
            yield _state(evidence, call, member.receiver, own=own)


def _defines_states(evidence: Evidence) -> bool:
    """Whether a class of the file has states in its own way."""
    names = ("state_dict", "load_state_dict")
    return any(True for _ in scan_definitions(evidence.source, names))


def _is_scaler(evidence: Evidence, owner: Node) -> bool:
    found = evidence.instance(owner)
    return found is not None and "GradScaler" in found.class_name


def _read(call: Node) -> Use:
    """``torch.load(path, map_location=...)``: where its tensors come to be is not asked for."""
    arguments = arguments_of(call)
    path, only = arguments.get("f", 0), arguments.keyword("weights_only")
    known = {"f", "map_location", "weights_only", None}
    if path is None or arguments.unpacked or any(one.keyword not in known for one in arguments.items):
        return refused(LOAD, call, Reason.CHECKPOINT)
    pieces: list[Piece] = [f"{MINDSPORE.module}.load(", Slot(path.value)]
    if only is not None:
        pieces += [", weights_only=", Slot(only.value)]
    return helped(LOAD, written(LOAD, call, [*pieces, ")"]))


def _state(evidence: Evidence, call: Node, owner: Node, *, own: bool) -> Use:
    parent = parent_of(call)
    is_taken_apart = parent is None or parent.type in (
        "attribute",
        "subscript",
        "for_statement",
        "for_in_clause",
    )
    if own or is_taken_apart or arguments_of(call).items or _is_scaler(evidence, owner):
        return refused(STATE, call, Reason.CHECKPOINT)
    return helped(STATE, written(STATE, call, [f"{MINDSPORE.module}.state_dict(", Slot(owner), ")"]))


def _saved(evidence: Evidence, call: Node, name: Node) -> Use:
    arguments = arguments_of(call)
    what, where = arguments.get("obj", 0), arguments.get("f", 1)
    if what is None or where is None or len(arguments.items) != 2 or arguments.unpacked:
        return refused(SAVE, call, Reason.CHECKPOINT)
    owner = called_on(what.value) if last_name(what.value) == "state_dict" else None
    if owner is None or not evidence.is_module(owner) or not _is_file(evidence, where.value):
        if owner is None and (evidence.is_module(what.value) or what.value.type == "call"):
            return refused(SAVE, call, Reason.CHECKPOINT)  # a whole model, or what is not seen here
        edit = Edit(name.start_byte, name.end_byte, f"{MINDSPORE.module}.save")
        return helped(SAVE, changed(SAVE, call, [edit]))
    evidence.take_care_of(what.value)
    pieces: list[Piece] = ["ms.save_checkpoint(", Slot(owner), ", ", Slot(where.value), ")"]
    return _to_file(SAVE, call, pieces, where.value)


def _loaded(evidence: Evidence, call: Node, model: Node, *, own: bool) -> Use:
    arguments = arguments_of(call)
    state = arguments.at(0)
    load = state.value if state is not None and state.value.type == "call" else None
    function = field(load, "function")
    resolution = evidence.source.names.qualified_name(function) if function is not None else None
    path = arguments_of(load).at(0) if load is not None else None
    is_plain = resolution is not None and resolution.qualified_name == LOAD and len(arguments.items) == 1
    is_own = path is not None and _is_file(evidence, path.value) and _saves(evidence, path.value)
    if path is None or not (is_plain and is_own and evidence.is_module(model)):
        return _set(evidence, call, model, own=own)
    assert function is not None
    evidence.take_care_of(function)
    pieces: list[Piece] = [
        "ms.load_param_into_net(",
        Slot(model),
        ", ms.load_checkpoint(",
        Slot(path.value),
        "))",
    ]
    return _to_file(INTO, call, pieces, path.value)


def _saves(evidence: Evidence, path: Node) -> bool:
    """Whether the file itself saves weights alone under a path of the same text, in MindSpore's form."""
    for ref in scan_names(evidence.source, ROOTS):
        arguments = arguments_of(ref.call) if ref.name == SAVE and ref.call is not None else None
        where = arguments.get("f", 1) if arguments is not None else None
        what = arguments.get("obj", 0) if arguments is not None else None
        owner = called_on(what.value) if what is not None and last_name(what.value) == "state_dict" else None
        if where is not None and text_of(where.value) == text_of(path):
            return owner is not None and evidence.is_module(owner)
    return False


def _set(evidence: Evidence, call: Node, owner: Node, *, own: bool) -> Use:
    """``owner.load_state_dict(state)`` by the helper, which takes a state of whatever it is."""
    arguments = arguments_of(call)
    state, strict = arguments.get("state_dict", 0), arguments.get("strict", 1)
    count = sum(one is not None for one in (state, strict))
    if (
        own
        or state is None
        or len(arguments.items) != count
        or arguments.unpacked
        or _is_scaler(evidence, owner)
    ):
        return refused(INTO, call, Reason.CHECKPOINT)
    pieces: list[Piece] = [f"{MINDSPORE.module}.load_state_dict(", Slot(owner), ", ", Slot(state.value)]
    if strict is not None:
        pieces += [", strict=", Slot(strict.value)]
    return helped(INTO, written(INTO, call, [*pieces, ")"]))


def _to_file(api: str, call: Node, pieces: list[Piece], path: Node) -> Use:
    use = written(api, call, pieces, {"ms"})
    return use._replace(edits=(*use.edits, *_suffix(path))) if use.reason is None else use


def _suffix(path: Node) -> Iterator[Edit]:
    """The edit that gives a path the suffix of MindSpore, where its end is written out."""
    end = _end_of(path)
    parts = end.named_children if end is not None else []
    if len(parts) < 2 or parts[-2].type != "string_content":
        return
    found = _SUFFIX.search(parts[-2].text or b"")
    if found is not None:
        yield Edit(parts[-2].end_byte - len(found[0]), parts[-2].end_byte, ".ckpt")


def _is_file(evidence: Evidence, path: Node) -> bool:
    """Whether a path is of a file of MindSpore's own, which names weights as they are at the moment."""
    return _is_written_out(path) and not joins_modules(evidence)


def _is_written_out(path: Node) -> bool:
    """Whether a path certainly ends in a way that MindSpore saves and loads, or will."""
    end = _end_of(path)
    parts = end.named_children if end is not None else []
    text = (parts[-2].text or b"") if len(parts) > 1 and parts[-2].type == "string_content" else b""
    return text.endswith((b".ckpt", b".pt", b".pth"))


def _end_of(path: Node) -> Node | None:
    """The string that a path ends with, if one is written out."""
    at: Node | None = path
    while at is not None:
        at = without_parentheses(at)
        if at.type == "call":
            at = _ending_argument(at)
        elif at.type == "binary_operator":
            operator = field(at, "operator")
            at = field(at, "left" if text_of(operator) == "%" else "right")
        else:
            return at if at.type == "string" else None
    return None


def _ending_argument(call: Node) -> Node | None:
    if last_name(call) == "format":
        return called_on(call)
    given = arguments_of(call).positional
    return given[-1].value if given and last_name(call) in _LAST_ARGUMENT else None
