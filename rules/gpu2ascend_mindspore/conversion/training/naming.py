"""What the function is called of which gradients are taken."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import enclosing, same

from ..evidence import Evidence

FUNCTION = "compute_loss"
_SCOPES = ("function_definition", "module")


def name_for(evidence: Evidence, backward: Node, loss: str, count: int = 1) -> str:
    """A name by the loss, where a function has more steps than this one of ``count`` losses."""
    name = f"compute_{loss}"
    scope = enclosing(backward, *_SCOPES)
    places = [one for one in evidence.source.identifiers("backward") if same(enclosing(one, *_SCOPES), scope)]
    is_free = loss.isidentifier() and not evidence.source.identifiers(name)
    return name if len(places) > count and is_free else FUNCTION
