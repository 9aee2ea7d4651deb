"""Buffers that get another value: ``self.queue = x`` raises an error where the cell has such a buffer."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.inference.classes.torch_classes import is_module
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import arguments_of, call_of, enclosing, field, is_field, text_of

from ....correspondences.call_edits import edits_of
from ....correspondences.rendering import Piece, Slot
from ....correspondences.values import Refused
from ...evidence import Evidence
from ...use import Reason, Use, changed, refused

BUFFER = "torch.nn.Module.register_buffer"
_UPDATES = {"+=": "+", "-=": "-", "*=": "*", "/=": "/"}


def uses_of_buffers(evidence: Evidence) -> Iterator[Use]:
    """What becomes of each assignment to a buffer of the class around it."""
    registered: dict[str, bool] = {}
    for ref in scan_members(evidence.source, ["register_buffer"]):
        call = call_of(ref.node)
        name = arguments_of(call).get("name", 0) if call is not None else None
        if call is None or name is None or name.value.type != "string" or text_of(ref.receiver) != "self":
            continue
        kept = arguments_of(call).get("persistent", 2)
        text = text_of(name.value).strip("\"'")
        registered[text] = kept is None or text_of(kept.value) != "False"
    for ref in scan_members(evidence.source, registered):
        if (
            text_of(ref.receiver) == "self"
            and is_field(ref.node, "left")
            and _is_of_module(evidence, ref.node)
        ):
            yield _set(evidence, ref.node, ref.name, is_kept=registered[ref.name])


def _is_of_module(evidence: Evidence, node: Node) -> bool:
    owner = enclosing(node, "class_definition")
    base = evidence.context.instances.classes.torch_base(owner) if owner is not None else None
    return base is not None and is_module(base)


def _set(evidence: Evidence, target: Node, name: str, *, is_kept: bool) -> Use:
    assignment = parent_of(target)
    value = field(assignment, "right")
    operator = field(assignment, "operator")
    statement = parent_of(assignment)
    plain = statement is not None and statement.type == "expression_statement"
    known = operator is None or text_of(operator) in _UPDATES
    if assignment is None or value is None or not plain or not known or value.type == "expression_list":
        return refused(BUFFER, target, Reason.UPDATE, f"self.{name}")
    before = f"self.register_buffer('{name}', "
    pieces: list[Piece] = [before, Slot(value)]
    if operator is not None:
        pieces = [f"{before}self.{name} {_UPDATES[text_of(operator)]} (", Slot(value), ")"]
    if not is_kept:
        pieces.append(", persistent=False")
    try:
        edits = edits_of(assignment, [*pieces, ")"])
    except Refused:
        return refused(BUFFER, target, Reason.LAYOUT)
    evidence.take_care_of(target)
    return changed(BUFFER, assignment, edits)
