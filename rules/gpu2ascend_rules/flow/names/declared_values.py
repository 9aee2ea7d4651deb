"""What the body of a class declares beside fields: the members of an enumeration, validators of fields.

What a validator gets is the value of the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ...text.syntax import arguments_of, field, last_name, text_of
from ..templates import plain_text
from .definition import Definition
from .parameters import base_expressions, is_static, parameter_of

_OF_NAMED_FIELDS = frozenset({"field_validator", "validator", "validates"})
"""Decorators of pydantic and marshmallow, which name the fields."""
_ALL_FIELDS = "*"
_OF_ATTRS = ".validator"
"""The end of attrs' decorator, which follows the name of the field."""
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


def validated_values(owner: Node, name: str) -> Iterator[Node]:
    """The parameters that get the value of a field in the validators of a class."""
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        method = field(child, "definition") if child.type == "decorated_definition" else None
        if method is None or method.type != "function_definition":
            continue
        for decorator in child.children:
            position = _position(decorator, name) if decorator.type == "decorator" else None
            found = None
            if position is not None:
                found = parameter_of(method, position, bound=not is_static(method))
            if found is not None:
                yield found


def _position(decorator: Node, name: str) -> int | None:
    """Which argument the validator of a field gets its value as; None if the decorator is of no such."""
    expression = decorator.named_children[0]
    if text_of(expression) == f"{name}{_OF_ATTRS}":
        return 1
    if expression.type != "call" or last_name(expression) not in _OF_NAMED_FIELDS:
        return None
    named = (plain_text(item.value) for item in arguments_of(expression).unnamed)
    return 0 if any(text in (name, _ALL_FIELDS) for text in named) else None
