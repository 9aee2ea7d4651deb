"""Named parts of results: ``x.max(dim=1).values`` as ``x.max(dim=1)[0]``, of plain tuples there."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, call_of, field, last_name

from ..evidence import Evidence
from ..use import Use, changed

_PARTS = {"values": 0, "indices": 1}
_BY_DIMENSION = frozenset({"max", "min", "median", "nanmedian", "mode"})
"""Functions that give both parts where they are given a dimension."""
_ALWAYS = frozenset({"cummax", "cummin", "kthvalue", "sort", "topk"})


def uses_of_results(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each part of a result that is read by its name."""
    for ref in scan_members(evidence.source, _PARTS):
        if ref.receiver_name is not None or call_of(ref.node) is not None:
            continue
        if evidence.is_taken_care_of(ref.node) or not _has_parts(evidence, ref.receiver):
            continue
        evidence.take_care_of(ref.node, but=ref.receiver)
        edit = Edit(ref.receiver.end_byte, ref.node.end_byte, f"[{_PARTS[ref.name]}]")
        found = changed(f"torch.return_types.{ref.name}", ref.node, [edit])
        yield found._replace(start=ref.receiver.end_byte)


def _has_parts(evidence: Evidence, receiver: Node) -> bool:
    """Whether an expression is what one of those functions gives, or a variable that holds it."""
    if receiver.type == "identifier":
        bindings = evidence.reaching(receiver)
        return bool(bindings) and all(
            one.value is not None and one.value.type == "call" and _has_parts(evidence, one.value)
            for one in bindings
        )
    function = field(receiver, "function") if receiver.type == "call" else None
    if function is None:
        return False
    name = last_name(receiver)
    if name not in _ALWAYS and not (name in _BY_DIMENSION and _names_dimension(evidence, receiver)):
        return False
    resolution = evidence.source.names.qualified_name(function)
    if resolution is not None:
        return resolution.qualified_name == f"torch.{name}"
    owner = field(function, "object") if function.type == "attribute" else None
    return owner is not None and evidence.is_of_kind(owner, "tensor")


def _names_dimension(evidence: Evidence, call: Node) -> bool:
    given = arguments_of(call)
    if given.keyword("dim") is not None:
        return True
    function = field(call, "function")
    is_of_torch = function is not None and evidence.source.names.qualified_name(function) is not None
    second = given.at(1 if is_of_torch else 0)
    return second is not None and evidence.is_of_kind(second.value, "int")
