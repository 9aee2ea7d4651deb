"""Code that expects a name to be missing: imports that may fail, branches by version."""

from __future__ import annotations

import re

from tree_sitter import Node

from .syntax import ancestors, field, same, text_of

_ASKS_FOR_VERSION = re.compile(r"hasattr|version|TORCH_|torch_(ge|gt|lt|le)|is_torch_\w*greater", re.I)


def is_guarded(statement: Node) -> bool:
    """Whether an import is tried and its failure is caught, or is made for type checkers only."""
    for parent in ancestors(statement):
        if parent.type == "try_statement":
            return any(child.type == "except_clause" for child in parent.children)
    return is_for_types(statement)


def is_for_types(statement: Node) -> bool:
    """Whether an import stands below ``if TYPE_CHECKING:``, and is never made at run time."""
    child = statement
    for parent in ancestors(statement):
        condition = field(parent, "condition")
        asks = condition is not None and text_of(condition).rpartition(".")[2] == "TYPE_CHECKING"
        if asks and same(field(parent, "consequence"), child):
            return True
        child = parent
    return False


def is_version_dependent(expression: Node) -> bool:
    """Whether an expression stands in a choice that asks for a version, or whether a name exists."""
    for parent in ancestors(expression):
        condition = field(parent, "condition")
        if parent.type == "conditional_expression":
            parts = [child for child in parent.named_children if child.type != "comment"]
            condition = parts[1] if len(parts) == 3 else None
        if condition is not None and _ASKS_FOR_VERSION.search(text_of(condition)):
            return True
    return False
