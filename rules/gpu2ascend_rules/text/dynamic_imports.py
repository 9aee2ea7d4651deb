"""Imports of torch by a call: ``torch = pytest.importorskip('torch')``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ..limits.parents import parent_of
from .parsed_text import ParsedText
from .syntax import arguments_of, enclosing, last_name, text_of

TORCH = "torch"
_BUILT_IN = "__import__"
_IMPORTERS = ("importorskip", "import_module", _BUILT_IN)


def imported_by_call(value: Node) -> str | None:
    """The module of torch's that an expression gives, where that is a call which imports one."""
    if value.type != "call" or last_name(value) not in _IMPORTERS:
        return None
    first = arguments_of(value).at(0)
    named = text_of(first.value)[1:-1] if first is not None and first.value.type == "string" else ""
    if named.partition(".")[0] != TORCH:
        return None
    return TORCH if last_name(value) == _BUILT_IN else named


def is_called_import(value: Node) -> bool:
    """Whether an expression is a call that gives the module torch."""
    return imported_by_call(value) == TORCH


def called_imports(source: ParsedText) -> Iterator[Node]:
    """The assignments that give the module torch a name, in text order."""
    calls = (enclosing(node, "call") for word in _IMPORTERS for node in source.identifiers(word))
    found = (_assignment(call) for call in calls if call is not None and is_called_import(call))
    yield from sorted((node for node in found if node is not None), key=lambda node: node.start_byte)


def _assignment(call: Node) -> Node | None:
    parent = parent_of(call)
    holder = parent_of(parent) if parent is not None and parent.type == "assignment" else None
    return holder if holder is not None and holder.type == "expression_statement" else None
