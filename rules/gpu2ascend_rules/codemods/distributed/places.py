"""Questions about a place that a change wants to use."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.below import nodes_below
from ...limits.parents import parent_of, parent_type
from ...text.syntax import (
    COMPREHENSION_TYPES,
    LOOPS,
    OWN_SCOPES,
    ancestors,
    encloses,
    enclosing_statement,
    field,
)

_NOT_ONCE = COMPREHENSION_TYPES | {
    "lambda", "conditional_expression", "boolean_operator", "decorator", "default_parameter",
    "typed_default_parameter",
}  # fmt: skip
ROUNDS = LOOPS | COMPREHENSION_TYPES
"""What does something again and again: ``[step(batch) for batch in loader]``, too."""
_PLAIN_STATEMENTS = frozenset({"expression_statement", "return_statement"})


def below(node: Node) -> Iterator[Node]:
    """The nodes below a node, in text order, without those of functions and classes that it defines."""
    return nodes_below(node, *OWN_SCOPES)


def head_of(loop: Node) -> Node:
    """What has the target and the iterable of a loop: the statement, or the clause of a comprehension."""
    clauses = [child for child in loop.named_children if child.type == "for_in_clause"]
    return clauses[-1] if clauses else loop


def is_simple(node: Node) -> bool:
    """Whether an expression may be written twice: a name, an attribute of one, an item of one."""
    if node.type == "identifier":
        return True
    if node.type == "attribute":
        inner = node.child_by_field_name("object")
        return inner is not None and is_simple(inner)
    if node.type == "subscript":
        value, key = node.child_by_field_name("value"), node.child_by_field_name("subscript")
        is_plain_key = key is not None and key.type in ("string", "integer", "identifier")
        return value is not None and is_simple(value) and is_plain_key
    return False


def statement_around(node: Node) -> Node:
    """The statement of the nearest block that a node is in, as a whole; ``elif`` is a part of its ``if``."""
    statement = enclosing_statement(node)
    for parent in (node, *ancestors(node)):
        if parent_of(parent) is None or parent_type(parent) in ("block", "module"):
            return parent
    return statement


def may_hoist(expression: Node) -> bool:
    """Whether a part of an expression may be computed in a separate statement before it."""
    statement = statement_around(expression)
    gone_through = field(statement, "right") if statement.type == "for_statement" else None
    is_gone_through = gone_through is not None and gone_through.start_byte <= expression.start_byte
    is_in_head = is_gone_through and gone_through is not None and expression.end_byte <= gone_through.end_byte
    if statement.type not in _PLAIN_STATEMENTS and not is_in_head:
        return False
    for parent in ancestors(expression):
        if parent == statement:
            return True
        if parent.type in _NOT_ONCE and not _is_drawn_from_first(expression, parent):
            return False
    return False


def _is_drawn_from_first(expression: Node, comprehension: Node) -> bool:
    """Whether a comprehension computes a part of it once, before its rounds: its first iterable."""
    clauses = [child for child in comprehension.named_children if child.type == "for_in_clause"]
    iterable = field(clauses[0], "right") if clauses else None
    return iterable is not None and encloses(iterable, expression)


def are_apart(one: Node, other: Node) -> bool:
    """Whether only one of two places is come by: they are in different branches of a condition."""
    around = {node.id for node in ancestors(one)}
    common = next((node for node in ancestors(other) if node.id in around), None)
    return common is not None and common.type == "if_statement"
