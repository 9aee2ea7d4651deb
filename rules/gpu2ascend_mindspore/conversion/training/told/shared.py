"""What keeps one of several losses from having a function of its own: what it shares with the others."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import field, text_of

from ...evidence import Evidence
from ...use import Reason
from ..constant.detached import is_gradient_free
from ..graphs import may_have_graph
from ..parts.calls import calls_of, from_to
from ..parts.data import staying
from ..parts.zeroing import zeroing
from ..rounds import is_detached
from ..variables import assigned_in, identifiers_in


def shared_in(evidence: Evidence, statements: Sequence[Node], backward: Node) -> tuple[Reason, Node] | None:
    """The statement that keeps a loss among others from a function of its own, and why it does."""
    every = calls_of(statements, "backward")
    before = [one for one in statements if one.end_byte <= backward.start_byte]
    needed = _needed(evidence, before, backward)
    of_models = [one for one in needed if may_have_graph(evidence, one)]
    if len(every) < 2 or not of_models:
        return None
    start = max((one.end_byte for one in every if one.end_byte <= backward.start_byte), default=0)
    shared = [one for one in of_models if one.start_byte < start]
    if shared:
        return Reason.STEP_SHARED, shared[-1]
    others = [one for one in before if one not in (*needed, *zeroing(evidence, before))]
    fixed = staying(evidence, from_to(needed, of_models[0].start_byte), others)
    return (Reason.STEP_STATEMENT, fixed[-1]) if fixed else None


def _needed(evidence: Evidence, before: Sequence[Node], backward: Node) -> list[Node]:
    """The statements that a loss has gradients through."""
    function = field(backward.named_children[0], "function")
    wanted = {text_of(one) for one in identifiers_in(function)} if function is not None else set()
    found: list[Node] = []
    for one in reversed(before):
        if wanted.intersection(assigned_in([one])) and not is_gradient_free(evidence, one):
            found.insert(0, one)
            wanted |= {text_of(name) for name in identifiers_in(one) if not is_detached(name)}
    return found
