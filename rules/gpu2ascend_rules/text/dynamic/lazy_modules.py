"""Objects and functions of a file that give the module torch when it is first used.

``class _Lazy`` with ``def __getattr__(self, name): import torch; return getattr(torch, name)``, and
``def _torch(): import torch; return torch``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ...limits.below import nodes_below
from ..syntax import arguments_of, field, last_name, text_of

_HOOKS = frozenset({"__getattr__", "__getattribute__"})
IsTorch = Callable[[Node], bool]


def gives_torch(definition: Node, is_torch: IsTorch) -> bool:
    """Whether what a class or a function gives when it is called stands for the module torch.

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
