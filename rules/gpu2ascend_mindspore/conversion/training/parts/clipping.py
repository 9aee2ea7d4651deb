"""Gradients that are clipped between ``backward`` and ``step``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import Arguments, arguments_of, field, last_name, text_of

from ...evidence import Evidence
from ...use import Use, changed
from ..identities import identity
from ..trained import owner_of_all, owner_trained_by
from .calls import in_branches

_BY_NORM = frozenset({"clip_grad_norm_", "clip_grad_norm"})
_BY_VALUE = frozenset({"clip_grad_value_", "clip_grad_value"})
CLIPS = _BY_NORM | _BY_VALUE
_UTILS = "torch.nn.utils."
_SIMPLE = ("identifier", "integer", "float", "attribute")


class Clip(NamedTuple):
    """A call that clips the gradients of all parameters of an optimizer."""

    statement: Node
    limit: Node
    norm: Node | None
    """The variable that gets the norm of the gradients."""
    by_value: bool
    place: int = 0
    """Of several optimizers of a step the one whose gradients it clips."""


def clips_of(
    evidence: Evidence, statements: Sequence[Node], forward: Sequence[Node], optimizers: Sequence[Node]
) -> tuple[Clip, ...] | None:
    """The calls in statements that clip gradients, in order; None where one has another form."""
    found: list[Clip] = []
    for outer in statements:
        for call in nodes_in(outer):
            if call.type == "call" and last_name(call) in CLIPS:
                clip = _clip(evidence, call, outer)
                places = [
                    place for place, one in enumerate(optimizers) if _is_of_all(evidence, call, forward, one)
                ]
                if clip is None or not places:
                    return None
                found.append(clip._replace(place=places[0]))
    return tuple(sorted(found, key=lambda one: one.statement.start_byte))


def _clip(evidence: Evidence, call: Node, outer: Node) -> Clip | None:
    statement, norm = _statement_of(call)
    if statement is None or statement.type != "expression_statement" or not in_branches(statement, outer):
        return None
    by_value = last_name(call) in _BY_VALUE
    limit = _limit_of(arguments_of(call), "clip_value" if by_value else "max_norm")
    if limit is None or (by_value and limit.type not in _SIMPLE):
        return None
    return Clip(statement, limit, norm, by_value) if norm is None or _has_sum(evidence) else None


def _limit_of(arguments: Arguments, name: str) -> Node | None:
    """What gradients are clipped to; None where another argument is not as usual."""
    limit = arguments.get(name, 1)
    if limit is None or arguments.unpacked:
        return None
    more = [one for one in arguments.items[1:] if one.node.id != limit.node.id]
    return limit.value if all(_is_usual(one.keyword, one.value) for one in more) else None


def _statement_of(call: Node) -> tuple[Node | None, Node | None]:
    """The statement that a call is, and the variable that it gives its value to, if it does."""
    parent = parent_of(call)
    if parent is None or parent.type != "assignment":
        return parent, None
    norm = field(parent, "left")
    return (parent_of(parent), norm) if norm is not None and norm.type == "identifier" else (None, None)


def _has_sum(evidence: Evidence) -> bool:
    return not any(evidence.source.names.bindings(one) for one in ("sum", "one"))


def _is_usual(keyword: str | None, value: Node) -> bool:
    """Whether a further argument says what is so anyway."""
    usual = {"norm_type": ("2", "2.0", "2."), "error_if_nonfinite": ("False",), "foreach": ("True", "False")}
    return text_of(value) in usual.get(keyword or "norm_type", ())


def _is_of_all(evidence: Evidence, call: Node, forward: Sequence[Node], optimizer: Node) -> bool:
    """Whether a call clips the gradients of all the parameters that the optimizer has."""
    first = arguments_of(call).get("parameters", 0)
    owner = owner_of_all(evidence, first.value) if first is not None else None
    if owner is None:
        return False
    trained = owner_trained_by(evidence, optimizer)
    if trained is not None:
        is_named_so = text_of(owner) == text_of(trained)
        return is_named_so or identity(evidence, owner) == identity(evidence, trained)
    called = [field(one, "function") for part in forward for one in nodes_in(part) if one.type == "call"]
    return any(one is not None and text_of(one) == text_of(owner) for one in called)


def written_clip(clip: Clip, gradients: str) -> Use:
    """What becomes of a call that clips gradients."""
    statement, limit = clip.statement, clip.limit
    if clip.by_value:
        value = text_of(limit)
        text = f"{gradients} = ops.clip_by_value({gradients}, -{value}, {value})"
        edits = [Edit(statement.start_byte, statement.end_byte, text)]
        return changed(f"{_UTILS}clip_grad_value_", statement, edits, {"ops"})
    norm = ""
    if clip.norm is not None:
        indent = " " * statement.start_point[1]
        squares = f"sum((one * one).sum() for one in {gradients})"
        norm = f"{text_of(clip.norm)} = ops.sqrt({squares})\n{indent}"
    head = f"{norm}{gradients} = ops.clip_by_global_norm({gradients}, "
    before = Edit(statement.start_byte, limit.start_byte, head)
    behind = Edit(limit.end_byte, statement.end_byte, ")")
    return changed(f"{_UTILS}clip_grad_norm_", statement, [before, behind], {"ops"})
