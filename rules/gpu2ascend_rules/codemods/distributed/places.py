"""Questions about a place that a change wants to use."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.below import nodes_below
from ...text.syntax import OWN_SCOPES, ancestors, enclosing_statement, field

_NOT_ONCE = frozenset(
    {"lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression",
     "conditional_expression", "boolean_operator", "decorator", "default_parameter",
     "typed_default_parameter"}
)  # fmt: skip
_PLAIN_STATEMENTS = frozenset({"expression_statement", "return_statement"})


def below(node: Node) -> Iterator[Node]:
    """The nodes below a node, in text order, without those of functions and classes that it defines."""
    return nodes_below(node, *OWN_SCOPES)


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


def may_hoist(expression: Node) -> bool:
    """Whether a part of an expression may be computed in a separate statement before it."""
    statement = enclosing_statement(expression)
    gone_through = field(statement, "right") if statement.type == "for_statement" else None
    is_gone_through = gone_through is not None and gone_through.start_byte <= expression.start_byte
    is_in_head = is_gone_through and gone_through is not None and expression.end_byte <= gone_through.end_byte
    if statement.type not in _PLAIN_STATEMENTS and not is_in_head:
        return False
    for parent in ancestors(expression):
        if parent == statement:
            return True
        if parent.type in _NOT_ONCE:
            return False
    return False


def are_apart(one: Node, other: Node) -> bool:
    """Whether only one of two places is come by: they are in different branches of a condition."""
    around = {node.id for node in ancestors(one)}
    common = next((node for node in ancestors(other) if node.id in around), None)
    return common is not None and common.type == "if_statement"
