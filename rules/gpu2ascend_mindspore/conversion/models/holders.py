"""Lists of parameters: ``nn.ParameterList`` is a tuple there; one that grows comes from the helper file."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import arguments_of, field, is_field, text_of

from ..evidence import ROOTS, Evidence
from ..use import Use, changed

LIST = "torch.nn.ParameterList"
_CHANGES = frozenset({"append", "extend", "insert", "pop"})


def uses_of_holders(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each list of parameters."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.name != LIST or ref.call is None:
            continue
        arguments = arguments_of(ref.call)
        first = arguments.at(0)
        plain = len(arguments.items) == 1 and not arguments.unpacked and first is not None
        if not plain or (first is not None and first.value.type == "none") or _is_changed(evidence, ref.call):
            continue  # the helper's
        evidence.take_care_of(ref.node)
        edits = [Edit(ref.node.start_byte, ref.node.end_byte, "ParameterTuple")]
        yield changed(LIST, ref.call, edits, {"ParameterTuple"})


def _is_changed(evidence: Evidence, call: Node) -> bool:
    """Whether a list gets further parameters, or others, as far as the file shows."""
    assignment = parent_of(call)
    target = field(assignment, "left") if assignment is not None and is_field(call, "right") else None
    if target is None or target.type not in ("identifier", "attribute"):
        return True
    name = text_of(target).rpartition(".")[2]
    for identifier in evidence.source.identifiers(name):
        attribute = parent_of(identifier) if is_field(identifier, "attribute") else None
        place = attribute or identifier
        outer = parent_of(place)
        if outer is None:
            continue
        method = (
            field(outer, "attribute") if outer.type == "attribute" and is_field(place, "object") else None
        )
        if text_of(method) in _CHANGES:
            return True
        owner = parent_of(outer)
        if outer.type == "subscript" and owner is not None and is_field(outer, "left"):
            return True
        if outer.type == "augmented_assignment" and is_field(place, "left"):
            return True
    return False
