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
    uses = evidence.source.identifiers(text_of(target).rpartition(".")[2])
    places = (parent_of(one) if is_field(one, "attribute") else one for one in uses)
    return any(_is_changed_at(place) for place in places if place is not None)


def _is_changed_at(place: Node) -> bool:
    """``params.append(p)``, ``params[0] = p``, ``params += more``."""
    outer = parent_of(place)
    if outer is None:
        return False
    if outer.type == "attribute" and is_field(place, "object"):
        return text_of(field(outer, "attribute")) in _CHANGES
    if outer.type == "subscript":
        return is_field(outer, "left")
    return outer.type == "augmented_assignment" and is_field(place, "left")
