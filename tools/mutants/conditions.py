"""Mutations that Cosmic Ray lacks, as operators that it can apply: decided conditions, turned memberships.

Cosmic Ray negates a condition, which nearly any test notices. A branch that is never taken, or a filter that
lets everything through, is the defect that tests of the usual case miss.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import parso
from parso.tree import NodeOrLeaf

Span = tuple[tuple[int, int], tuple[int, int]]


class _ConditionIs:
    """Every condition of an ``if``, an ``elif``, a conditional expression or a filter has one value."""

    value: ClassVar[str]

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Span]:
        """The places of the conditions that belong to a node."""
        for index in _conditions(node):
            child = node.children[index]
            if child.get_code().strip() not in ("True", "False", "TYPE_CHECKING"):
                yield child.start_pos, child.end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        """Put the value into the place of a condition."""
        node.children[_conditions(node)[index]] = parso.parse(f" {self.value}")
        return node


class ConditionIsTrue(_ConditionIs):
    """The condition always holds: a filter is dropped, an exception to a rule is the rule."""

    value = "True"


class ConditionIsFalse(_ConditionIs):
    """The condition never holds: a case is not handled."""

    value = "False"


class TurnMembership:
    """``in`` becomes ``not in``, and the other way round."""

    def mutation_positions(self, node: NodeOrLeaf) -> Iterator[Span]:
        """The places of the operators that belong to a node."""
        for index in _memberships(node):
            yield node.children[index].start_pos, node.children[index].end_pos

    def mutate(self, node: NodeOrLeaf, index: int) -> NodeOrLeaf:
        """Turn one of them."""
        position = _memberships(node)[index]
        is_in = node.children[position].get_code().strip() == "in"
        node.children[position] = parso.parse(" not in" if is_in else " in")
        return node


OPERATORS = {kind.__name__: kind for kind in (ConditionIsTrue, ConditionIsFalse, TurnMembership)}


def _conditions(node: NodeOrLeaf) -> list[int]:
    """Which children of a node are conditions."""
    if node.type == "if_stmt":
        words = ("if", "elif")
        return [i + 1 for i, child in enumerate(node.children) if getattr(child, "value", None) in words]
    return {"test": [2], "comp_if": [1]}.get(node.type, [])


def _memberships(node: NodeOrLeaf) -> list[int]:
    if node.type != "comparison":
        return []
    return [i for i, child in enumerate(node.children) if child.get_code().split() in (["in"], ["not", "in"])]
