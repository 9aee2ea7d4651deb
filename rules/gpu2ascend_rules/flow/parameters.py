"""From an argument of a call to the parameter of a function that the same file defines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..limits.parents import parent_of, parent_type
from ..text.scopes import BindingKind
from ..text.syntax import enclosing, field, is_field, text_of

if TYPE_CHECKING:
    from ..engine.context import Context

_SPLATS = frozenset({"list_splat_pattern", "keyword_separator"})


def parameter_for(function: Node, argument: str | int, ctx: Context) -> Node | None:
    """The identifier of the parameter of a callee that takes an argument, given by keyword or position.

    ``None`` when the callee is not defined in the file, or takes it by ``*args`` or ``**kwargs``.
    """
    if function.type == "identifier":
        return _of_name(function, argument, ctx)
    if function.type == "attribute":
        return _of_method(function, argument, ctx)
    return None


def _of_name(function: Node, argument: str | int, ctx: Context) -> Node | None:
    for binding in ctx.source.names.bindings_in_scope(text_of(function), function):
        if binding.kind is not BindingKind.DEFINITION:
            continue
        definition = binding.statement
        if definition.type == "function_definition":
            return _parameter(definition, argument, bound=False)
        initializer = method_of(definition, "__init__")
        if initializer is not None:
            return _parameter(initializer, argument, bound=True)
    return None


def _of_method(function: Node, argument: str | int, ctx: Context) -> Node | None:
    """A method that ``self`` or ``cls`` is asked for inside its own class."""
    receiver, name = field(function, "object"), field(function, "attribute")
    if receiver is None or name is None or text_of(receiver) not in ("self", "cls"):
        return None
    owner = enclosing(function, "class_definition")
    method = method_of(owner, text_of(name)) if owner is not None else None
    return _parameter(method, argument, bound=not _is_static(method)) if method is not None else None


def method_of(owner: Node, name: str) -> Node | None:
    """A class's own method of a name."""
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        definition = field(child, "definition") if child.type == "decorated_definition" else child
        if definition is None or definition.type != "function_definition":
            continue
        own = field(definition, "name")
        if own is not None and text_of(own) == name:
            return definition
    return None


def parameter_named(definition: Node, name: str) -> Node | None:
    """The identifier of a function's parameter of a name."""
    return _parameter(definition, name, bound=False)


def _is_static(method: Node) -> bool:
    holder = parent_of(method)
    if holder is None or holder.type != "decorated_definition":
        return False
    return any(text_of(child) == "@staticmethod" for child in holder.children)


def _parameter(definition: Node, argument: str | int, *, bound: bool) -> Node | None:
    positional = True
    position = -1 if bound else 0
    for name, kind in _parameters(definition):
        if kind in _SPLATS:
            positional = False
        if name is None:
            continue
        if isinstance(argument, str):
            if text_of(name) == argument and kind not in ("list_splat_pattern", "dictionary_splat_pattern"):
                return name
        elif positional and position == argument:
            return name
        position += 1
    return None


def _parameters(definition: Node) -> Iterator[tuple[Node | None, str]]:
    """Each parameter's identifier with the kind of its node."""
    holder = field(definition, "parameters")
    for child in holder.named_children if holder is not None else ():
        if child.type == "identifier":
            yield child, child.type
        elif child.type in ("default_parameter", "typed_default_parameter"):
            yield field(child, "name"), child.type
        elif child.type == "typed_parameter":
            inner = child.named_children[0]
            is_splat = inner.type.endswith("splat_pattern")
            yield (None if is_splat else inner), inner.type
        else:
            yield None, child.type


def is_property(definition: Node) -> bool:
    """Whether a function is read as an attribute."""
    holder = parent_of(definition)
    if holder is None or holder.type != "decorated_definition":
        return False
    decorators = (text_of(child) for child in holder.children if child.type == "decorator")
    return any(text.endswith("property") for text in decorators)


def is_method(definition: Node) -> bool:
    """Whether a function is defined directly in a class."""
    holder = parent_of(definition)
    if holder is not None and holder.type == "decorated_definition":
        holder = parent_of(holder)
    return (
        holder is not None
        and holder.type == "block"
        and is_field(holder, "body")
        and (parent_type(holder) == "class_definition")
    )
