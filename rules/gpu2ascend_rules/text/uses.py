"""The places that read one variable of a file, and what a statement gives it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ..limits.parents import parent_of
from .scopes import Binding, BindingKind
from .source_file import SourceFile
from .syntax import field, same, text_of

_PATTERNS = frozenset({"pattern_list", "tuple_pattern"})
_SEVERAL = frozenset({"expression_list", "tuple"})


def uses_of_variable(identifier: Node, source: SourceFile) -> Iterator[Node]:
    """Every identifier that reads the variable which an identifier binds or reads, but for itself."""
    scope = scope_of_variable(identifier, source)
    for use in source.names.readers(text_of(identifier), scope):
        if not same(use, identifier):
            yield use


def scope_of_variable(identifier: Node, source: SourceFile) -> Node:
    """The scope of the variable which an identifier binds or reads."""
    bindings = source.names.bindings_in_scope(text_of(identifier), identifier)
    return bindings[0].scope if bindings else source.names.scope_of(identifier)


def readers_of_import(binding: Binding, source: SourceFile) -> Iterator[Node]:
    """The identifiers that read what an import binds."""
    for identifier in source.names.references(binding.name):
        resolution = source.names.resolve(identifier)
        origin = resolution.binding if resolution is not None else None
        if origin is not None and same(origin.node, binding.node):
            yield identifier


def statements_setting(attribute: str, owner: Node, source: SourceFile) -> Iterator[Node]:
    """The statements of a class whose left side is an attribute of that name, of whatever object."""
    for word in source.identifiers_in(attribute, owner):
        target = parent_of(word)
        statement = parent_of(target) if target is not None and target.type == "attribute" else None
        if statement is not None and target is not None and same(field(statement, "left"), target):
            yield statement


def values_of_attribute(attribute: Node, source: SourceFile, owner: Node | None = None) -> Iterator[Node]:
    """What the file, or a class in it, assigns to an attribute that is written the same."""
    name, written = text_of(field(attribute, "attribute")), text_of(attribute)
    for word in source.identifiers_in(name, owner) if owner is not None else source.identifiers(name):
        target = parent_of(word)
        statement = parent_of(target)
        is_given = statement is not None and statement.type == "assignment" and text_of(target) == written
        value = field(statement, "right") if is_given and same(field(statement, "left"), target) else None
        if value is not None:
            yield value


def compared_texts(source: SourceFile, words: Iterable[bytes]) -> Iterator[tuple[Node, Node]]:
    """The string literals with one of some words that are compared with one other thing, each with that."""
    for offset in (offset for word in words for offset in source.find_all(word)):
        content = source.node_at(offset, offset + 1)
        string = parent_of(content) if content is not None and content.type == "string_content" else None
        comparison = parent_of(string)
        if string is None or comparison is None or comparison.type != "comparison_operator":
            continue
        others = [item for item in comparison.named_children if not same(item, string)]
        if len(others) == 1:
            yield string, others[0]


def function_start(node: Node, source: SourceFile) -> int:
    """Where the function around a node begins; -1 outside of any."""
    function = source.enclosing(node, "function_definition")
    return function.start_byte if function is not None else -1


def assignment_in(statement: Node) -> Node | None:
    """The assignment that a statement is; None for another statement."""
    inner = statement.named_children[0] if statement.type == "expression_statement" else None
    return inner if inner is not None and inner.type == "assignment" else None


def assigned_value(binding: Binding) -> Node | None:
    """What a name is given, also as one of several: ``b`` of ``a, b = 1, make()``."""
    if binding.value is not None or binding.kind is not BindingKind.ASSIGNMENT:
        return binding.value
    left, right = field(binding.statement, "left"), field(binding.statement, "right")
    if left is None or right is None or left.type not in _PATTERNS or right.type not in _SEVERAL:
        return None
    names, values = left.named_children, right.named_children
    is_plain = len(names) == len(values) and not any("splat" in item.type for item in (*names, *values))
    at = next((index for index, name in enumerate(names) if name == binding.node), None)
    return values[at] if is_plain and at is not None else None
