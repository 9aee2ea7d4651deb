"""What ``backward`` is called on: a variable, an expression, or either of them scaled."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import arguments_of, field, text_of

from ..scaling import scaled_by
from ..variables import identifiers_in


class Loss(NamedTuple):
    """The value whose gradients a statement takes."""

    names: frozenset[str]
    """The variables that it is made of."""
    name: str
    """The variable that it is, or the attribute of ``self``; empty for any other expression."""
    expression: Node
    scaler: str
    """What scales it; empty if nothing does."""

    @property
    def is_plain(self) -> bool:
        """Whether its text means the same anywhere, and for MindSpore: variables, numbers and operators."""
        kinds = ("identifier", "integer", "float", "binary_operator", "parenthesized_expression")
        inner = self.expression
        if self.scaler:
            inner = arguments_of(inner).items[0].value
        return all(one.type in kinds for one in nodes_in(inner))


def keeps_graph(statement: Node) -> bool:
    """Whether a call of ``backward`` leaves the graph for another one."""
    kept = arguments_of(statement.named_children[0]).keyword("retain_graph")
    return kept is not None and text_of(kept.value) != "False"


def loss_of(statement: Node) -> Loss | None:
    """The loss of a call of ``backward``; None for any other form of the call."""
    call = statement.named_children[0]
    function, arguments = field(call, "function"), arguments_of(call)
    expression = field(function, "object")
    if expression is None or arguments.unpacked or not _is_computed(expression):
        return None
    if any(one.keyword != "retain_graph" for one in arguments.items):
        return None
    scaler = scaled_by(expression)
    value = arguments_of(expression).items[0].value if scaler is not None else expression
    names = frozenset(text_of(one) for one in identifiers_in(value))
    name = text_of(value) if value.type == "identifier" or _is_kept(value) else ""
    return Loss(names, name, expression, text_of(scaler))


def _is_computed(expression: Node) -> bool:
    """Whether it is a variable, or computed from such in one expression."""
    if expression.type in ("identifier", "call") or _is_kept(expression):
        return True
    inner = expression.named_children
    if expression.type == "subscript":
        return inner[0].type == "identifier"
    return (
        expression.type == "parenthesized_expression"
        and len(inner) == 1
        and inner[0].type in ("binary_operator", "call")
    )


def _is_kept(expression: Node) -> bool:
    """``self.loss``."""
    owner = field(expression, "object") if expression.type == "attribute" else None
    return text_of(owner) == "self"
