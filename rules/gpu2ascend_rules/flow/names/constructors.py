"""Constructors that no one wrote: which field an argument fills of a dataclass, a model or a named tuple."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.syntax import text_of
from .files import ProgramFile
from .parameters import base_expressions, fields_of

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
