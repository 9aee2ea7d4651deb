"""Imports of torch by a call: ``torch = pytest.importorskip('torch')``, ``LazyLoader('torch', ...)``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...limits.parents import parent_of
from ..parsed_text import ParsedText
from ..syntax import arguments_of, enclosing, field, last_name, text_of

TORCH = "torch"
_BUILT_IN = "__import__"
_IMPORTERS = ("importorskip", "import_module", _BUILT_IN)
_LAZY = re.compile(r"lazy", re.I)
"""In the dotted name of what loads a module when it is first used: ``LazyLoader``, ``lazy_loader.load``."""
_QUOTED = (b'"torch"', b"'torch'")


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
    """Whether an expression is a call that gives the module torch, at once or when it is first used."""
    return imported_by_call(value) == TORCH or _is_lazy_import(value)


def _is_lazy_import(value: Node) -> bool:
    """``LazyLoader("torch", globals(), "torch")``: the last text is the module, or a keyword names it."""
    function = field(value, "function") if value.type == "call" else None
    if function is None or function.type not in ("identifier", "attribute"):
        return False
    if _LAZY.search(text_of(function)) is None:
        return False
    arguments = arguments_of(value)
    named = next((item for item in arguments.items if item.keyword in ("name", "module_name")), None)
    texts = [item.value for item in arguments.positional if item.value.type == "string"]
    module = named.value if named is not None else texts[-1] if texts else None
    return module is not None and text_of(module)[1:-1] == TORCH


def called_imports(source: ParsedText) -> Iterator[Node]:
    """The assignments that give the module torch a name, in text order."""
    offsets = sorted(offset for word in _QUOTED for offset in source.find_all(word))
    texts = (source.node_at(offset, offset + len(_QUOTED[0])) for offset in offsets)
    calls = (enclosing(text, "call") for text in texts if text is not None)
    found = (_assignment(call) for call in calls if call is not None and is_called_import(call))
    yield from {node.id: node for node in found if node is not None}.values()


def names_of_called_imports(source: ParsedText) -> Iterator[Node]:
    """The identifiers to which such assignments bind the module."""
    for statement in called_imports(source):
        target = field(statement.named_children[0], "left")
        if target is not None and target.type == "identifier":
            yield target


def _assignment(call: Node) -> Node | None:
    parent = parent_of(call)
    holder = parent_of(parent) if parent is not None and parent.type == "assignment" else None
    return holder if holder is not None and holder.type == "expression_statement" else None
