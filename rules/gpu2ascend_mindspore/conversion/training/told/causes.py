"""Why a training step has no form that is converted, as far as its own block shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import arguments_of, enclosing, same, text_of

from ...evidence import Evidence
from ...use import Reason, Use
from ..graphs import owner_trained_by
from ..parts.calls import calls_of, calls_within, receiver_of
from ..parts.losses import loss_of
from ..parts.moving import may_move
from ..parts.zeroing import zeroes
from ..updates import new_tensors
from .shared import shared_in

_LONGEST = 60
_SCOPES = ("function_definition", "module")


class Cause(NamedTuple):
    """Why a step is refused, and what that is about."""

    reason: Reason
    detail: str = ""


def cause_of(evidence: Evidence, call: Node) -> Cause:
    """Why the step around a call of ``backward`` is refused: the first that its block shows."""
    statement = parent_of(call)
    block = parent_of(statement) if statement is not None else None
    if statement is None or block is None or statement.type != "expression_statement":
        return Cause(Reason.STEP)
    statements = [one for one in block.named_children if one.type != "comment"]
    if loss_of(statement, is_last=True) is None:
        return Cause(Reason.STEP_CALL, _short(call))
    return _of_updates(evidence, statements, statement, _updates(statement, statements))


def told_once(data: bytes, uses: list[Use]) -> list[Use]:
    """The uses of steps, where a refused ``backward`` speaks for the calls of its optimizer, too."""
    if not any(one.reason is not None and one.api.endswith(".backward") for one in uses):
        return uses
    return [
        one
        for one in uses
        if one.reason is not Reason.STEP or one.api.endswith(".backward") or data[: one.end][-2:] != b"()"
    ]


def _of_updates(
    evidence: Evidence, statements: Sequence[Node], backward: Node, updates: Sequence[Node]
) -> Cause:
    """Why a step of an ordinary ``backward`` is refused, by the calls of optimizers around it."""
    if not updates:
        return Cause(Reason.STEP_UPDATE)
    first = next((one for one in updates if one.start_byte > backward.start_byte), updates[0])
    optimizer = receiver_of(first)
    if optimizer is None or arguments_of(first.named_children[0]).items:
        return Cause(Reason.STEP)  # that of a scaler, or with a closure
    return (
        _of_zeroing(evidence, optimizer)
        or _of_statements(evidence, statements, backward)
        or _of_gradients(statements, backward)
        or _of_optimizers(evidence, updates)
        or _of_several(evidence, statements, backward)
        or Cause(Reason.STEP)
    )


def _updates(backward: Node, statements: Sequence[Node]) -> list[Node]:
    """The calls of optimizers that may belong to a step: in its block, else in its function."""
    own = calls_of(statements, "step")
    scope = enclosing(backward, *_SCOPES)
    return own or (calls_within([scope], "step") if scope is not None else [])


def _of_zeroing(evidence: Evidence, optimizer: Node) -> Cause | None:
    """No statement sets the gradients of the optimizer to zero."""
    scope = enclosing(optimizer, *_SCOPES)
    every = calls_within([scope], "zero_grad") if scope is not None else []
    zeroed = [one for one in every if same(enclosing(one, *_SCOPES), scope)]
    if any(zeroes(evidence, one, optimizer) for one in zeroed):
        return None
    return Cause(Reason.STEP_ZERO, text_of(optimizer))


def _of_optimizers(evidence: Evidence, updates: Sequence[Node]) -> Cause | None:
    """Of one of several optimizers, or of one in a list, the file does not show whose parameters it has."""
    if len({text_of(one) for one in updates}) < 2 and not _is_of_list(evidence, receiver_of(updates[0])):
        return None
    owners = [owner for one in updates if (owner := receiver_of(one)) is not None]
    unknown = [text_of(one) for one in owners if owner_trained_by(evidence, one) is None]
    return Cause(Reason.STEP_OPTIMIZER, unknown[0]) if unknown else None


def _is_of_list(evidence: Evidence, optimizer: Node | None) -> bool:
    """``optimizers[0]``, ``for optimizer in optimizers``."""
    if optimizer is None or optimizer.type != "identifier":
        return optimizer is not None and optimizer.type == "subscript"
    bindings = evidence.source.names.bindings_in_scope(text_of(optimizer), optimizer)
    return any(one.kind is BindingKind.LOOP for one in bindings)


def _of_several(evidence: Evidence, statements: Sequence[Node], backward: Node) -> Cause | None:
    """One of several losses shares with another what it has gradients through."""
    found = shared_in(evidence, statements, backward)
    return Cause(found[0], _short(found[1])) if found is not None else None


def _of_statements(evidence: Evidence, statements: Sequence[Node], backward: Node) -> Cause | None:
    """A statement before cannot become part of a function."""
    before = [one for one in statements if one.end_byte <= backward.start_byte]
    new = new_tensors(evidence, before)
    fixed = [one for one in before if not may_move(evidence, one, new)]
    return Cause(Reason.STEP_STATEMENT, _short(fixed[-1])) if fixed else None


def _of_gradients(statements: Sequence[Node], backward: Node) -> Cause | None:
    """A statement behind reads the gradient of a parameter."""
    behind = [one for one in statements if one.start_byte >= backward.end_byte]
    read = (node for one in behind for node in nodes_in(one) if node.type == "attribute")
    found = next((one for one in read if text_of(one).endswith(".grad")), None)
    return Cause(Reason.STEP_GRADIENTS, _short(found)) if found is not None else None


def _short(node: Node) -> str:
    text = " ".join(text_of(node).split()).replace("`", "'")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
