"""Tensors that are trained outside of any module: ``w = torch.tensor([1.0], requires_grad=True)``."""

from __future__ import annotations

import re
from collections.abc import Collection

from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import enclosing, field, text_of

from ...evidence import Evidence
from ...use import Reason, Use
from ..variables import identifiers_in

_FIRST_NAME = re.compile(rb"\w+")
_SCOPES = ("function_definition", "module")


def told_of_leaves(evidence: Evidence, uses: list[Use]) -> list[Use]:
    """The uses, where what makes such a tensor says so, in place of all that follows from it."""
    if not any(True for _ in evidence.source.identifiers("backward")):
        return uses
    made = {(one.start, one.end): name for one in uses if (name := _name_of_leaf(evidence, one))}
    if not made:
        return uses
    names = set(made.values())
    return [
        one._replace(reason=Reason.LEAF, detail=made.get((one.start, one.end), one.detail))
        if (one.start, one.end) in made
        else one
        for one in uses
        if one.reason is None or (one.start, one.end) in made or not _follows(evidence, one, names)
    ]


def _name_of_leaf(evidence: Evidence, use: Use) -> str:
    """The variable that is given a tensor with a gradient of its own; empty for any other use."""
    if use.reason is not Reason.ARGUMENT or use.detail != "requires_grad":
        return ""
    assignment = parent_of(evidence.source.node_at(use.start, use.end))
    return text_of(field(assignment, "left")) if assignment is not None else ""


def _follows(evidence: Evidence, use: Use, names: Collection[str]) -> bool:
    """Whether a refused use is of such a tensor, or a step that takes gradients of one."""
    first = _FIRST_NAME.match(evidence.source.data, use.start)
    if first is not None and first[0].decode() in names:
        return True
    if not use.api.endswith(".backward"):
        return False
    node = evidence.source.node_at(use.start, use.end)
    scope = enclosing(node, *_SCOPES) if node is not None else None
    return scope is not None and any(text_of(one) in names for one in identifiers_in(scope))
