"""Choices between implementations, as the code of a function shows them."""

from __future__ import annotations

import re

from tree_sitter import Node

from ....limits.below import with_parents
from ....text.guards import gives_up
from ....text.syntax import ancestors, field, leaves_block, parts_of, same, text_of
from ..code_searches import Span

_ALTERNATIVES = re.compile(
    r"cuda|gpu|npu|device|avail|has_|have_|support|install|import|flash|xformers|triton|kernel|fused|impl|"
    r"backend|use_|is not None|is None",
    re.I,
)
"""What a condition speaks of that chooses between implementations."""
_PASSED = frozenset({"with_statement", "for_statement", "while_statement", "block"})
"""What is no statement of its own: those in it count."""


def is_arm(use: Node) -> bool:
    """Whether an expression is in an arm of a conditional expression that chooses between implementations."""
    inner = use
    for parent in ancestors(use):
        if parent.type.endswith(("_statement", "block")):
            return False
        if parent.type == "conditional_expression":
            parts = parts_of(parent)
            if len(parts) == 3 and not same(parts[1], inner) and _ALTERNATIVES.search(text_of(parts[1])):
                return True
        inner = parent
    return False


def without_alternatives(definition: Node, missing: frozenset[str]) -> tuple[Span, ...]:
    """The parts of a function's body that run whatever implementation is chosen; ``missing`` are names that
    are None without CUDA."""
    body = field(definition, "body")
    found: list[Span] = []
    chosen: set[int] = set()
    """The blocks that a choice has left for one implementation: the rest of them is the other."""
    parts = with_parents(body, lambda node: node.type in _PASSED) if body is not None else ()
    for statement, block in parts:
        if block.type != "block" or block.id in chosen or statement.type in _PASSED:
            continue
        if statement.type not in ("if_statement", "try_statement") or not _has_alternative(statement):
            found.append(Span.of(statement))
        elif _leaves_without(statement, missing):
            chosen.add(block.id)
    return tuple(found)


def _leaves_without(statement: Node, missing: frozenset[str]) -> bool:
    """Whether an ``if`` leaves the block where one of the names is None, and not by an error."""
    condition, consequence = field(statement, "condition"), field(statement, "consequence")
    if condition is None or consequence is None or not leaves_block(consequence) or gives_up(consequence):
        return False
    words = text_of(condition).split()
    is_test = words[1:] == ["is", "None"] or (len(words) == 2 and words[0] == "not")
    return is_test and not missing.isdisjoint(words)


def _has_alternative(statement: Node) -> bool:
    """Whether an ``if`` or ``try`` chooses between implementations."""
    if statement.type not in ("if_statement", "try_statement"):
        return False
    if statement.type == "try_statement":
        return any(child.type == "except_clause" for child in statement.named_children)
    condition = field(statement, "condition")
    if condition is None or not _ALTERNATIVES.search(text_of(condition)):
        return False
    has_other = any(child.type in ("else_clause", "elif_clause") for child in statement.named_children)
    return has_other or leaves_block(field(statement, "consequence"))
