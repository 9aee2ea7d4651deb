"""The whole condition that a question is part of."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from ....engine.context import Context
from ....limits.parents import parent_of
from ....text.syntax import COMPREHENSION_TYPES, field, is_field, last_name, operator_of, parts_of, same

_AROUND = frozenset({"not_operator", "boolean_operator", "parenthesized_expression", "comparison_operator"})
_DISPLAYS = frozenset({"tuple", "list", "set"})
TESTING = frozenset({"startswith", "endswith", "bool", "all", "any"})
"""Functions whose answer is true where what they are given is a word of CUDA, or true."""


def whole_test(test: Node, ctx: Context) -> tuple[Node, bool]:
    """The condition that a question is part of, and whether it holds where there is no CUDA."""
    parent = parent_of(test)
    while parent is not None and parent.type == "call" and same(field(parent, "function"), test):
        test, parent = parent, parent_of(parent)
    known: dict[int, tuple[Node, bool]] = ctx.once("whole tests", dict)
    passed: list[tuple[int, bool]] = []
    node, negated = test, False
    while node.id not in known:
        passed.append((node.id, negated))
        parent = _around(node)
        if parent is None:
            known[node.id] = (node, False)
            break
        negated ^= is_negation(parent, node)
        node = parent
    whole, further = known[node.id]
    known.update((key, (whole, before ^ negated ^ further)) for key, before in passed)
    return whole, negated ^ further


def combined(node: Node, answer: Callable[[Node], bool | None]) -> bool | None:
    """The answer of ``not``, ``and`` or ``or`` by those of its parts; None where these do not decide it."""
    answers = [answer(part) for part in parts_of(node)]
    if node.type == "not_operator":
        return None if None in answers else not all(answers)
    deciding = operator_of(node) == "or"
    return deciding if deciding in answers else None if None in answers else not deciding


def _around(part: Node) -> Node | None:
    """The part of a condition that is true by a part of it: an operator, a list that something is looked up
    in, ``name.startswith(part)``, ``all(part for item in items)``."""
    parent = parent_of(part)
    holder = parent_of(parent)
    if parent is None or parent.type in _AROUND:
        return parent
    if parent.type in _DISPLAYS:
        is_looked_up = holder is not None and holder.type in ("comparison_operator", "argument_list")
        return parent if is_looked_up else None
    if parent.type in COMPREHENSION_TYPES and not is_field(part, "body"):
        return None
    if parent.type == "argument_list":
        return holder if _is_testing(holder) else None
    if parent.type == "generator_expression":
        return holder if _is_testing(holder) else None
    return parent if parent.type == "list_comprehension" else None


def _is_testing(call: Node | None) -> bool:
    return call is not None and call.type == "call" and last_name(call) in TESTING


def is_negation(around: Node, operand: Node) -> bool:
    """Whether a part of a condition holds where its operand does not: ``not test``, ``device != 'cuda'``."""
    if around.type != "comparison_operator" or around.child_count != 3:
        return around.type == "not_operator"
    return around.children[1].type in ("!=", "not in", "is not", "<>")
