"""Statements that choose or prepare a device: written otherwise, or without any meaning in MindSpore."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members, scan_names
from gpu2ascend_rules.inference.kinds import Kind
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import arguments_of, call_of, text_of

from ...correspondences.rendering import Piece, Slot
from ..evidence import ROOTS, Evidence
from ..lines import removed
from ..use import Reason, Use, changed, refused, written
from ..values.arguments import names_device

SET_DEVICE = "torch.cuda.set_device"
_WITHOUT_MEANING = frozenset(
    {
        "torch.cuda.init",
        "torch.cuda.ipc_collect",
        "torch.cuda.nvtx.range_pop",
        "torch.cuda.nvtx.range_push",
        "torch.autograd.set_detect_anomaly",
        "torch.set_default_device",
        "torch.set_float32_matmul_precision",
    }
)
"""Functions that place tensors, allow less precision or help to look for mistakes: results are the same."""
_TENSOR_TYPE = "torch.set_default_tensor_type"
_USUAL_TYPES = frozenset({"torch.cuda.FloatTensor", "torch.FloatTensor"})
_PLACES = ("to", "cuda", "cpu")
_ORDINALS = frozenset({Kind.INTEGER, Kind.UNKNOWN})


def uses_of_device_statements(evidence: Evidence) -> Iterator[Use]:
    """What becomes of statements that are there for a device alone."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.call is None or not (ref.name in _WITHOUT_MEANING or ref.name in (SET_DEVICE, _TENSOR_TYPE)):
            continue
        statement = parent_of(ref.call)
        if statement is None or statement.type != "expression_statement":
            continue
        use = _use(evidence, ref.name, ref.call, statement)
        evidence.take_care_of(ref.call)
        yield use
    for member in scan_members(evidence.source, _PLACES):
        call = call_of(member.node)
        statement = parent_of(call)
        if call is None or statement is None or statement.type != "expression_statement":
            continue
        if evidence.is_module(member.receiver) and _is_placed(evidence, call, member.name):
            evidence.take_care_of(call)
            gone = removed(evidence.source.data, statement)
            yield changed(f"torch.nn.Module.{member.name}", statement, [gone])


def _use(evidence: Evidence, name: str, call: Node, statement: Node) -> Use:
    gone = removed(evidence.source.data, statement)
    if name in _WITHOUT_MEANING:
        return changed(name, statement, [gone])
    first = arguments_of(call).at(0)
    if name == _TENSOR_TYPE:
        is_usual = first is not None and _type_name(evidence, first.value) in _USUAL_TYPES
        return changed(name, statement, [gone]) if is_usual else refused(name, call, Reason.NO_TARGET)
    return _device_set(evidence, call)


def _type_name(evidence: Evidence, node: Node) -> str:
    if node.type == "string":
        return text_of(node).strip("\"'")
    found = evidence.source.names.qualified_name(node)
    return found.qualified_name if found is not None else ""


def _device_set(evidence: Evidence, call: Node) -> Use:
    """``torch.cuda.set_device(n)``; a device by its name has no number that is known."""
    arguments = arguments_of(call)
    device = arguments.get("device", 0)
    if device is None or len(arguments.items) != 1:
        return refused(SET_DEVICE, call, Reason.ARGUMENTS)
    if evidence.context.types.kind(device.value) not in _ORDINALS or names_device(device.value):
        return refused(SET_DEVICE, call, Reason.DEVICE)
    pieces: list[Piece] = ["ms.set_device(ms.get_context('device_target'), ", Slot(device.value), ")"]
    return written(SET_DEVICE, call, pieces, {"ms"})


def _is_placed(evidence: Evidence, call: Node, name: str) -> bool:
    """Whether a call does no more than to place a module."""
    given = [one for one in arguments_of(call).items if one.keyword != "non_blocking"]
    return name != "to" or (len(given) == 1 and evidence.is_of_kind(given[0].value, "device"))
