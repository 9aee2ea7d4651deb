"""The loops in which a file trains: each turn of them is one step of the optimizer."""

from __future__ import annotations

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import Outline
from ...limits.parents import parent_of, parent_type
from ...text.syntax import LOOPS, OWN_SCOPES, ancestors, field, text_of

_SCOPES = OWN_SCOPES
_NOW_AND_THEN = ("%", "log", "print", "debug", "verbose", "isnan", "isfinite", "rank")
"""What conditions have under which code does not run in every step."""


def trains(outline: Outline) -> bool:
    """Whether the file has a backward pass."""
    return b"backward" in outline.source.attribute_names


def step_loop(node: Node, ctx: Context) -> Node | None:
    """The loop around a node whose turns each have a backward pass; None where the node does not run in
    every turn."""
    loops = ctx.once("loops of steps", lambda: _step_loops(ctx))
    if not loops:
        return None
    for above in ancestors(node):
        if above.type in _SCOPES:
            return None
        if above.type == "if_statement" and _is_now_and_then(above, node):
            return None
        if above.type in LOOPS and above.id in loops:
            body = field(above, "body")
            return above if body is not None and body.start_byte <= node.start_byte else None
    return None


def _step_loops(ctx: Context) -> frozenset[int]:
    if not trains(ctx):
        return frozenset()
    found = (_loop_of_call(identifier) for identifier in ctx.source.identifiers("backward"))
    return frozenset(loop.id for loop in found if loop is not None)


def _loop_of_call(identifier: Node) -> Node | None:
    """The innermost loop around a call of a method ``backward``."""
    attribute = parent_of(identifier)
    if attribute is None or attribute.type != "attribute":
        return None
    if parent_type(attribute) != "call":
        return None
    for above in ancestors(attribute):
        if above.type in _SCOPES:
            return None
        if above.type in LOOPS:
            return above
    return None


def _is_now_and_then(statement: Node, node: Node) -> bool:
    condition = field(statement, "condition")
    if condition is None or condition.start_byte <= node.start_byte < condition.end_byte:
        return False
    text = text_of(condition).lower()
    return any(word in text for word in _NOW_AND_THEN)
