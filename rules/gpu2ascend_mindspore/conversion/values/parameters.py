"""Variables that a loop over the parameters of modules, or of an optimizer, goes over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.syntax import ancestors, arguments_of, field, last_name, text_of

_NAMES = ("parameters", "named_parameters")
_THROUGH = frozenset({"zip", "enumerate", "list", "reversed", "tuple"})


def is_parameter(node: Node) -> bool:
    """Whether a variable is what a loop over the parameters of modules goes over."""
    if node.type != "identifier":
        return False
    for one in ancestors(node):
        if one.type == "lambda":
            return _is_of_filter(node, one)
        if one.type in ("function_definition", "class_definition"):
            return False
        clauses = [one] if one.type == "for_statement" else []
        if one.type.endswith("comprehension") or one.type == "generator_expression":
            clauses = [child for child in one.named_children if child.type == "for_in_clause"]
        for clause in clauses:
            target, over = field(clause, "left"), field(clause, "right")
            if target is None or over is None:
                continue
            if text_of(node) in _names_of_parameters(target, over):
                return True
            if text_of(node) in re.findall(r"\w+", text_of(target)):
                return False
    return False


def _is_of_filter(name: Node, function: Node) -> bool:
    """Whether a variable is that of ``filter(lambda p: ..., net.parameters())``."""
    parameters, call = (
        field(function, "parameters"),
        parent_of(parent_of(function)) if parent_of(function) else None,
    )
    if parameters is None or call is None or call.type != "call" or last_name(call) not in ("filter", "map"):
        return False
    given = arguments_of(call)
    over = given.at(1)
    return over is not None and text_of(name) in _names_of_parameters(
        parameters.named_children[0], over.value
    )


def _unpacked(target: Node, over: Node) -> Iterator[tuple[Node, Node]]:
    """The variables of a loop over ``enumerate(a)`` or ``zip(a, b)``, each with what it goes over."""
    given = [one.value for one in arguments_of(over).items]
    if last_name(over) == "zip":
        yield from zip(target.named_children, given, strict=False)
    elif last_name(over) != "enumerate":
        yield from [(target, given[0])] if given else []
    elif target.type == "pattern_list":
        yield from zip(target.named_children[1:2], given[:1], strict=False)


def _names_of_parameters(target: Node, over: Node) -> set[str]:
    """The variables of a loop that are parameters, of what it goes over."""
    if over.type == "call" and last_name(over) in _THROUGH:
        return {name for part, one in _unpacked(target, over) for name in _names_of_parameters(part, one)}
    if over.type == "subscript" and re.search(r"\[['\"]params['\"]\]$", text_of(over)):
        return {text_of(target)}
    if over.type != "call" or last_name(over) not in _NAMES:
        return set()
    if last_name(over) == "parameters":
        return {text_of(target)} if target.type == "identifier" else set()
    return {text_of(target.named_children[1])} if len(target.named_children) == 2 else set()
