"""Statements that are calls of methods, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from tree_sitter import Node

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import ancestors, field, last_name


def are_any_between(statements: Iterable[Node], first: Node, last: Node) -> bool:
    """Whether any of some statements begins behind the beginning of one and before that of another."""
    return any(first.start_byte < one.start_byte < last.start_byte for one in statements)


def from_to(statements: Iterable[Node], start: int, end: float = inf) -> list[Node]:
    """Those of some statements that begin at one place or behind it, and before another."""
    return [one for one in statements if start <= one.start_byte < end]


def calls_of(statements: Sequence[Node], name: str) -> list[Node]:
    """The statements that are nothing but a call of a method."""
    return [one for one in statements if _is_call(one) and last_name(one.named_children[0]) == name]


def calls_within(statements: Iterable[Node], name: str) -> list[Node]:
    """The same, those in branches of ``if`` statements, too."""
    found = [parent_of(call) for one in statements for call in nodes_in(one) if call.type == "call"]
    named = [one for one in found if one is not None and _is_call(one)]
    return [one for one in named if last_name(one.named_children[0]) == name]


def _is_call(statement: Node) -> bool:
    children = statement.named_children
    return statement.type == "expression_statement" and bool(children) and children[0].type == "call"


def receiver_of(statement: Node) -> Node | None:
    """What a statement calls a method of, where that is a name."""
    function = field(statement.named_children[0], "function")
    receiver = field(function, "object")
    return receiver if receiver is not None and receiver.type in ("identifier", "attribute") else None


def is_within(node: Node, others: Iterable[Node]) -> bool:
    """Whether a node lies in one of others."""
    return any(one.start_byte <= node.start_byte < one.end_byte for one in others)


def statements_of(block: Node | None) -> list[Node]:
    """The statements of a block, without comments."""
    return [one for one in block.named_children if one.type != "comment"] if block is not None else []


def in_branches(statement: Node, outer: Node) -> bool:
    """Whether there are only branches of ``if`` statements between a statement and one around it."""
    if statement.id == outer.id:
        return True
    for one in ancestors(statement):
        if one.type not in ("block", "if_statement", "elif_clause", "else_clause"):
            return False
        if one.id == outer.id:
            return True
    return False
