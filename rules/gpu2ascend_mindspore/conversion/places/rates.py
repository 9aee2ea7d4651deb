"""Which expressions are learning rates of groups of parameters: ``group["lr"]``."""

from __future__ import annotations

import re

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import ancestors, arguments_of, field, last_name, text_of

GROUPS = "param_groups"
_KEY = re.compile(r"""['"]lr['"]""")


def is_rate(node: Node) -> bool:
    """Whether it is ``group['lr']`` of a group of parameters."""
    value, key = field(node, "value"), field(node, "subscript")
    if value is None or key is None or not _KEY.fullmatch(text_of(key)):
        return False
    if value.type == "subscript":
        groups = field(value, "value")
        return groups is not None and _are_groups(groups)
    return value.type == "identifier" and _is_group(value)


def _are_groups(node: Node) -> bool:
    return node.type == "attribute" and text_of(node).endswith(f".{GROUPS}")


def _is_group(name: Node) -> bool:
    """Whether a loop over groups of parameters gives a variable its value."""
    for one in ancestors(name):
        clauses = [one] if one.type == "for_statement" else []
        if one.type.endswith("comprehension") or one.type == "generator_expression":
            clauses = [child for child in one.named_children if child.type == "for_in_clause"]
        for clause in clauses:
            target, over = field(clause, "left"), field(clause, "right")
            if target is not None and over is not None and text_of(name) in _groups_of(target, over):
                return True
        if one.type in ("function_definition", "class_definition"):
            return False
    return False


def _groups_of(target: Node, over: Node) -> set[str]:
    """The variables of a loop that are groups of parameters."""
    if _are_groups(over):
        return {text_of(target)}
    if over.type != "call" or last_name(over) not in ("enumerate", "zip"):
        return set()
    given = [one.value for one in arguments_of(over).items]
    targets = target.named_children[1:] if last_name(over) == "enumerate" else target.named_children
    return {text_of(one) for one, value in zip(targets, given, strict=False) if _are_groups(value)}
