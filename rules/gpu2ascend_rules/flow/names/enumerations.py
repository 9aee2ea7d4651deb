"""Enumerations: which classes are one, and the values of their members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ...text.syntax import field, text_of
from .definition import Definition
from .parameters import base_expressions

VALUE_OF_MEMBER = "value"
"""The attribute that gives the value of a member."""


def is_enumeration(lineage: Iterable[Definition]) -> bool:
    """Whether a class, given with those that it derives from, is an enumeration."""
    bases = (base for owner in lineage for base in base_expressions(owner.node))
    return any(text_of(base).endswith(("Enum", "Flag")) for base in bases)


def values_of_members(owner: Node) -> Iterator[Node]:
    """The values that the body of an enumeration assigns."""
    body = field(owner, "body")
    for statement in body.named_children if body is not None else ():
        assignment = statement.named_children[0] if statement.type == "expression_statement" else None
        value = field(assignment, "right")
        if value is not None:
            yield value
