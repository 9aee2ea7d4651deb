"""Imports that may fail: whether the code around one expects that."""

from __future__ import annotations

from tree_sitter import Node

from .syntax import ancestors, text_of


def is_guarded(statement: Node) -> bool:
    """Whether an import is tried and its failure is caught, or is made for type checkers only."""
    for parent in ancestors(statement):
        if parent.type == "try_statement":
            return any(child.type == "except_clause" for child in parent.children)
        condition = parent.child_by_field_name("condition") if parent.type == "if_statement" else None
        if condition is not None and text_of(condition).endswith("TYPE_CHECKING"):
            return True
    return False
