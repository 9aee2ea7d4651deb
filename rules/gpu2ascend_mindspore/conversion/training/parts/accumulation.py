"""Gradients that several turns of a loop add up: an update in some turns, or behind the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import LOOPS, enclosing, field, same, start_of, text_of

from ...evidence import Evidence
from ..averaging import loop_behind
from ..trained import made_by
from .calls import are_any_between, calls_of, calls_within, from_to, receiver_of, statements_of
from .zeroing import zeroes, zeroing

_FUNCTIONS = ("function_definition", "module")


class Summing(NamedTuple):
    """Where gradients are added up and used."""

    behind: tuple[Node, ...]
    """The statements up to and with that of ``step``, behind those of the turn, in their block."""
    block: tuple[Node, ...]
    """All statements of that block."""
    zeroed: tuple[Node, ...]
    """The statements that set the sum to zero again."""
    stepped: Node
    optimizer: Node
    started: Node | None
    """The statement that sets the gradients to zero before the loop."""
    loop: Node
    """Before it there are no gradients, if no statement says so."""


def optimizer_of(stepped: Node, scaler: str) -> Node | None:
    """The optimizer that a call of ``step`` updates by: its receiver, or what a scaler is given."""
    receiver = receiver_of(stepped)
    if not scaler:
        return receiver
    if receiver is None or text_of(receiver) != scaler:
        return None
    given = field(stepped.named_children[0], "arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    return first if first is not None and first.type in ("identifier", "attribute") else None


def summing_at(evidence: Evidence, statements: Sequence[Node], backward: Node, scaler: str) -> Summing | None:
    """How the gradients of a turn of a loop are added up; None where they are used at once."""
    loop = enclosing(backward, *LOOPS, *_FUNCTIONS)
    if loop is None or loop.type not in LOOPS or zeroing(evidence, statements):
        return None
    if calls_of(statements, "step") and any(
        optimizer_of(one, scaler) is not None for one in calls_of(statements, "step")
    ):
        return None
    return _in_some(evidence, statements, backward, scaler, loop) or _behind(
        evidence, statements, scaler, loop
    )


def _in_some(
    evidence: Evidence, statements: Sequence[Node], backward: Node, scaler: str, loop: Node
) -> Summing | None:
    """An update in some turns: ``if (i + 1) % n == 0``."""
    branch = _branch_with_step(statements)
    if branch is None or branch.start_byte < backward.start_byte:
        return None
    inner = statements_of(field(branch, "consequence"))
    zeroed, stepped = zeroing(evidence, inner), calls_of(inner, "step")
    optimizer = optimizer_of(stepped[0], scaler) if stepped else None
    if optimizer is None or len(zeroed) != 1 or zeroed[0].start_byte < stepped[0].end_byte:
        return None
    started = _before(evidence, loop)
    if not all(zeroes(evidence, one, optimizer) for one in (*zeroed, started) if one is not None):
        return None
    outer = loop if started is not None else _since_made(evidence, loop, optimizer)
    if outer is None:
        return None
    used = from_to(inner, 0, stepped[0].end_byte)
    behind = (*from_to(statements, backward.end_byte, branch.start_byte), *used)
    return Summing(behind, tuple(inner), tuple(zeroed), stepped[0], optimizer, started, outer)


def _branch_with_step(statements: Sequence[Node]) -> Node | None:
    """The only ``if`` that updates, which has no other arm."""
    branches = [one for one in statements if one.type == "if_statement" and _has_step(one)]
    is_only = len(branches) == 1 and field(branches[0], "alternative") is None
    return branches[0] if is_only else None


def _behind(evidence: Evidence, statements: Sequence[Node], scaler: str, loop: Node) -> Summing | None:
    """An update behind the loop, whose turns each have a part of the batch."""
    beside = statements_of(parent_of(loop))
    others = [one for one in beside if not same(one, loop)]
    if not _is_whole_turn(statements, loop) or calls_within(others, "backward"):
        return None
    steps = from_to(calls_of(beside, "step"), loop.end_byte)
    updates = [(one, by) for one in steps if (by := optimizer_of(one, scaler)) is not None]
    zeroed = zeroing(evidence, beside)
    if not updates or not zeroed or are_any_between(zeroed, loop, updates[0][0]):
        return None
    stepped, optimizer = updates[0]
    if not all(zeroes(evidence, one, optimizer) for one in zeroed):
        return None
    started = max(from_to(zeroed, 0, loop.start_byte), key=start_of, default=None)
    behind = tuple(from_to(beside, loop.end_byte, stepped.end_byte))
    rest = tuple(one for one in zeroed if not same(one, started))
    return Summing(behind, tuple(beside), rest, stepped, optimizer, started, loop)


def _is_whole_turn(statements: Sequence[Node], loop: Node) -> bool:
    """Whether a statement is of the block of a loop itself, which has no ``else``."""
    body = field(loop, "body")
    if body is None or field(loop, "alternative") is not None:
        return False
    return any(same(parent_of(one), body) for one in statements)


def _has_step(branch: Node) -> bool:
    return bool(calls_of(statements_of(field(branch, "consequence")), "step"))


def _before(evidence: Evidence, loop: Node) -> Node | None:
    """The statement directly before a loop that sets the gradients to zero."""
    before = loop.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before if before is not None and zeroing(evidence, [before]) else None


def _since_made(evidence: Evidence, loop: Node, optimizer: Node) -> Node | None:
    """The outermost loop since the optimizer is made in the same function: it has no gradients there."""
    first = field(loop, "body")
    outer = loop_behind(first, optimizer) if first is not None else None
    if outer is None:
        return None
    scope = enclosing(loop, *_FUNCTIONS)
    made = [one for one in made_by(evidence, optimizer) if same(enclosing(one, *_FUNCTIONS), scope)]
    return outer if any(one.end_byte <= outer.start_byte for one in made) else None
