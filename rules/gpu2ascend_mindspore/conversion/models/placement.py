"""Where tensors are: ``device = x.device`` is of no use where nothing is placed."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import (
    arguments_of,
    enclosing_statement,
    field,
    is_field,
    last_name,
    same,
    text_of,
)
from gpu2ascend_rules.text.uses import uses_of_variable

from ..evidence import Evidence
from ..lines import removed
from ..use import Use, changed

DEVICE = "torch.Tensor.device"


def uses_of_placement(evidence: Evidence) -> Iterator[Use]:
    """The assignments of a tensor's device to a variable that only places other tensors: they go."""
    for ref in scan_members(evidence.source, ["device"]):
        assignment = parent_of(ref.node)
        target = field(assignment, "left")
        if assignment is None or assignment.type != "assignment" or not is_field(ref.node, "right"):
            continue
        if target is None or target.type != "identifier" or not _is_tensor(evidence, ref.receiver):
            continue
        uses = uses_of_variable(target, evidence.source)
        if all(_places(use) or same(use, target) for use in uses):
            statement = enclosing_statement(ref.node)
            evidence.take_care_of(ref.node)
            yield changed(DEVICE, statement, [removed(evidence.source.data, statement)])


def _is_tensor(evidence: Evidence, node: Node) -> bool:
    """Whether an expression is a tensor, or the first parameter of a module: ``next(net.parameters())``."""
    if evidence.is_of_kind(node, "tensor"):
        return True
    first = arguments_of(node).at(0) if node.type == "call" and last_name(node) == "next" else None
    return first is not None and first.value.type == "call" and last_name(first.value) == "parameters"


def _places(use: Node) -> bool:
    """Whether a variable is given to a call as the place of what it makes."""
    parent = parent_of(use)
    if parent is None:
        return False
    if parent.type == "keyword_argument":
        name = field(parent, "name")
        return text_of(name) == "device"
    call = parent_of(parent)
    return parent.type == "argument_list" and call is not None and last_name(call) == "to"
