"""What the body of a class declares: fields of its constructor, members of an enumeration, checked values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.syntax import arguments_of, field, last_name, text_of
from ..templates import plain_text
from .definition import Definition
from .files import ProgramFile
from .parameters import base_expressions, fields_of, is_static, parameter_of

_DECORATORS = ("dataclass", "define", "frozen", "mutable", "attr.s", "attrs", "attr.attrs")
_OF_TUPLES = "NamedTuple"
_OF_DICTIONARIES = "TypedDict"
_WITHOUT_FIELDS = frozenset({"object", "ABC", "abc.ABC", "NamedTuple", "typing.NamedTuple"})


def makes_dictionaries(owner: Node) -> bool:
    """Whether what a class makes is a dictionary."""
    return any(text_of(base).rpartition(".")[2] == _OF_DICTIONARIES for base in base_expressions(owner))


def constructor_fields(
    lineage: Sequence[tuple[ProgramFile, Node]], argument: int | str
) -> tuple[ProgramFile, Node] | None:
    """The name of the field that an argument fills, and its file.

    Args:
        lineage: A class and those of the project that it derives from, nearest first.
        argument: Its position or keyword. A position counts where a decorator or a named tuple orders the
            fields, those of bases first, and all bases are of the project.
    """
    if isinstance(argument, str):
        named = ((file, item) for file, owner in lineage for item in fields_of(owner))
        return next((found for found in named if text_of(found[1]) == argument), None)
    if not lineage or not all(_is_ordered(owner) for _, owner in lineage):
        return None
    if not _has_all_bases([owner for _, owner in lineage]):
        return None
    fields: dict[str, tuple[ProgramFile, Node]] = {}
    for file, owner in reversed(lineage):
        for item in fields_of(owner):
            fields[text_of(item)] = (file, item)
    return list(fields.values())[argument] if 0 <= argument < len(fields) else None


def _has_all_bases(lineage: Sequence[Node]) -> bool:
    """Whether all bases with fields are among some classes."""
    known = {text_of(name) for owner in lineage if (name := owner.child_by_field_name("name"))}
    bases = {text_of(base) for owner in lineage for base in base_expressions(owner)}
    return {base.rpartition(".")[2] for base in bases - _WITHOUT_FIELDS} <= known


def _is_ordered(owner: Node) -> bool:
    """Whether the order of a class's fields is that of its constructor's parameters."""
    if any(text_of(base).rpartition(".")[2] == _OF_TUPLES for base in base_expressions(owner)):
        return True
    holder = parent_of(owner)
    decorators = holder.children if holder is not None and holder.type == "decorated_definition" else []
    names = [text_of(item)[1:].partition("(")[0] for item in decorators if item.type == "decorator"]
    return any(name in _DECORATORS or name.rpartition(".")[2] in _DECORATORS for name in names)


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
