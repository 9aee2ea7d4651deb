"""Members that a program gives to objects of its own, under a name that torch's classes may have too."""

from __future__ import annotations

from tree_sitter import Node

from ..limits.parents import parent_of
from ..text.source_file import SourceFile
from ..text.syntax import ancestors, is_field, text_of

_TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_DEFINITIONS = frozenset({"class_definition", "function_definition"})
_BINDERS = frozenset({"assignment", "augmented_assignment", "for_statement", "as_pattern_target"})


def may_be_given(name: str, source: SourceFile, *, is_own_class: bool) -> bool:
    """Whether a file may give objects a member: by assigning to it, or in a class's body.

    With ``is_own_class``, for an object of one of the file's own classes, also by the name as a text
    (``setattr``, ``register_buffer``) and by a ``__getattr__``.
    """
    if any(_is_given_by(identifier) for identifier in source.identifiers(name)):
        return True
    if not is_own_class:
        return False
    has_lookup = any(
        True for lookup in ("__getattr__", "__getattribute__") for _ in source.occurrences(lookup)
    )
    return has_lookup or any(_is_text(offset, name, source) for offset in source.occurrences(name))


def _is_given_by(identifier: Node) -> bool:
    parent = parent_of(identifier)
    if parent is None:
        return False
    if parent.type == "attribute":
        return is_field(identifier, "attribute") and _is_bound(parent)
    if parent.type in _DEFINITIONS and is_field(identifier, "name"):
        return _is_in_class_body(parent)
    return _is_bound(identifier) and _is_in_class_body(identifier)


def _is_bound(target: Node) -> bool:
    """Whether a statement binds an expression, alone or among others."""
    holder = parent_of(target)
    while holder is not None and holder.type in _TARGETS:
        target, holder = holder, parent_of(holder)
    if holder is None or holder.type not in _BINDERS:
        return False
    return holder.type == "as_pattern_target" or is_field(target, "left")


def _is_in_class_body(node: Node) -> bool:
    """Whether what is around a node is a class, and no function in it."""
    around = next((item for item in ancestors(node) if item.type in _DEFINITIONS), None)
    return around is not None and around.type == "class_definition"


def _is_text(offset: int, name: str, source: SourceFile) -> bool:
    node = source.node_at(offset, offset + len(name.encode()))
    return node is not None and node.type == "string_content" and text_of(node) == name
