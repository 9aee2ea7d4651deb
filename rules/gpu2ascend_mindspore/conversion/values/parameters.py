"""Variables that a loop over the parameters of modules, or of an optimizer, goes over."""

from __future__ import annotations

import re

from tree_sitter import Node

from gpu2ascend_rules.inference.walk.targets import Drawn, place_in
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.syntax import ancestors, arguments_of, call_with, field, last_name, text_of

_THROUGH = frozenset({"zip", "enumerate", "list", "reversed", "tuple"})
_SCOPES = ("function_definition", "class_definition")
_PARAMS = re.compile(r"\[['\"]params['\"]\]$")


def is_parameter(node: Node) -> bool:
    """Whether a variable is what a loop over the parameters of modules goes over."""
    drawn = drawn_around(node, filters=True) if node.type == "identifier" else None
    over, place = drawn if drawn is not None else (None, ())
    if over is None:
        return False
    if over.type == "subscript":
        return not place and _PARAMS.search(text_of(over)) is not None
    names = {(): "parameters", (1,): "named_parameters"}
    return over.type == "call" and last_name(over) == names.get(place)


def drawn_around(name: Node, *, filters: bool = False) -> Drawn | None:
    """What the innermost loop or comprehension around a variable that gives it its value draws it from.

    Args:
        filters: Whether a ``lambda`` ends the search: ``filter(lambda p: ..., net.parameters())``.
    """
    for one in ancestors(name):
        if one.type in _SCOPES:
            return None
        if one.type == "lambda" and filters:
            return _filtered(name, one)
        clauses = [one] if one.type == "for_statement" else []
        if one.type.endswith("comprehension") or one.type == "generator_expression":
            clauses = [child for child in one.named_children if child.type == "for_in_clause"]
        for clause in clauses:
            drawn = _drawn(name, field(clause, "left"), field(clause, "right"))
            if drawn is not None:
                return drawn
    return None


def _filtered(name: Node, function: Node) -> Drawn | None:
    """What the parameter of a function is given by ``filter`` or ``map``."""
    parameters, call = field(function, "parameters"), call_with(function)
    over = arguments_of(call).at(1) if call is not None and last_name(call) in ("filter", "map") else None
    return _drawn(name, parameters.named_children[0], over.value) if parameters and over else None


def _drawn(name: Node, target: Node | None, over: Node | None) -> Drawn | None:
    """What a loop with a target draws a variable from; None for another variable."""
    if target is None or over is None:
        return None
    bound = (one for one in nodes_in(target) if one.type == "identifier" and text_of(one) == text_of(name))
    found = next(bound, None)
    if found is None:
        return None
    return _through(over, place_in(target, found))


def _through(over: Node, place: tuple[int, ...]) -> Drawn:
    """What ``zip``, ``enumerate`` and the like go over, and where the place is in an item of that."""
    while over.type == "call" and last_name(over) in _THROUGH:
        given = [one.value for one in arguments_of(over).items]
        index = 0
        if last_name(over) in ("zip", "enumerate"):
            first, place = (place or (-1,))[0], place[1:]
            index = first if last_name(over) == "zip" else first - 1
        if not 0 <= index < len(given) or (last_name(over) == "enumerate" and index):
            return Drawn(None, place)
        over = given[index]
    return Drawn(over, place)
