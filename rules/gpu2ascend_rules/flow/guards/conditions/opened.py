"""What a condition decides over: the arms that it opens, and what is evaluated beside it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import ancestors, field, is_field, leaves_block, parts_of, same, text_of
from ..code_searches import Span, rest_of_block
from .whole import is_negation

CLAUSES = ("elif_clause", "else_clause")


def other_operands(test: Node, whole: Node) -> Iterator[Node]:
    """The other operands of the boolean expressions around a test."""
    child = test
    for parent in ancestors(test):
        if parent.start_byte < whole.start_byte or parent.end_byte > whole.end_byte:
            return
        if parent.type == "boolean_operator":
            yield from (item for item in parent.named_children if item.id != child.id)
        child = parent


def operands_behind(test: Node, whole: Node) -> Iterator[Span]:
    """What is evaluated only where a test holds: the operands behind it of ``and``, and of ``or`` behind one
    that is negated."""
    child, negated = test, False
    for parent in ancestors(test):
        if parent.start_byte < whole.start_byte or parent.end_byte > whole.end_byte:
            return
        is_first = parent.type == "boolean_operator" and is_field(child, "left")
        if is_first and text_of(field(parent, "operator") or parent) == ("or" if negated else "and"):
            yield Span(child.end_byte, parent.end_byte)
        negated ^= is_negation(parent, child)
        child = parent


def opened(whole: Node, *, negated: bool) -> list[Span]:
    """What runs where the device is a CUDA device, as far as a whole condition decides over it."""
    parent = parent_of(whole)
    if parent is None:
        return []
    if parent.type == "conditional_expression":
        parts = parts_of(parent)
        return [Span.of(parts[2 if negated else 0])] if len(parts) == 3 and same(parts[1], whole) else []
    if not is_field(whole, "condition"):
        return []
    consequence = field(parent, "consequence") or field(parent, "body")
    if not negated:
        return [Span.of(consequence)] if consequence is not None else []
    following = [child for child in parent.children if child.type in CLAUSES]
    if following:
        return [Span.of(child) for child in following]
    return [rest_of_block(parent)] if leaves_block(consequence) else []


def later_arms(whole: Node) -> Iterator[Node]:
    """What is tested only where a condition does not hold."""
    parent = parent_of(whole)
    if parent is None:
        return
    if parent.type == "conditional_expression":
        parts = parts_of(parent)
        if len(parts) == 3 and same(parts[1], whole):
            yield parts[2]
        return
    if not is_field(whole, "condition"):
        return
    choice = parent_of(parent) if parent.type == "elif_clause" else parent
    for clause in choice.children if choice is not None else ():
        if clause.type in CLAUSES and clause.start_byte > whole.end_byte:
            yield clause
    if parent.type == "if_statement" and leaves_block(field(parent, "consequence")):
        following = parent.next_named_sibling
        while following is not None and following.type == "if_statement":
            yield following
            following = following.next_named_sibling
