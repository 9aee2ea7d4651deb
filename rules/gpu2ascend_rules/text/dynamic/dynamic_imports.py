"""Modules that a program gets otherwise than by an import statement."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from ...limits.below import nodes_below
from ...limits.parents import parent_of
from ..parsed_text import ParsedText
from ..syntax import arguments_of, enclosing, field, last_name, text_of

_HOOKS = frozenset({"__getattr__", "__getattribute__"})
IsTorch = Callable[[Node], bool]


def gives_torch(definition: Node, is_torch: IsTorch) -> bool:
    """Whether what a class or a function gives when it is called means the module torch.

    Args:
        definition: The statement of the class or function.
        is_torch: Whether an expression inside it is the module.
    """
    if definition.type == "function_definition":
        return _all_return(definition, is_torch)
    body = field(definition, "body") if definition.type == "class_definition" else None
    methods = [item for item in (body.named_children if body is not None else ()) if _is_hook(item)]
    return bool(methods) and all(
        _all_return(method, lambda value: _is_attribute(value, is_torch)) for method in methods
    )


def _is_hook(item: Node) -> bool:
    name = field(item, "name") if item.type == "function_definition" else None
    return name is not None and text_of(name) in _HOOKS


def _is_attribute(value: Node, is_torch: IsTorch) -> bool:
    """``getattr(torch, name)``."""
    if value.type != "call" or last_name(value) != "getattr":
        return False
    owner = arguments_of(value).at(0)
    return owner is not None and is_torch(owner.value)


def _all_return(function: Node, is_wanted: IsTorch) -> bool:
    """Whether each return gives what is wanted, but for those that say that it is not installed."""
    returned = [value for value in _returned(function) if value is None or value.type != "none"]
    return bool(returned) and all(value is not None and is_wanted(value) for value in returned)


def _returned(function: Node) -> Iterator[Node | None]:
    body = field(function, "body")
    if body is None:
        return
    for node in nodes_below(body, "function_definition", "class_definition", "lambda"):
        if node.type == "return_statement":
            yield node.named_children[0] if node.named_children else None


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
