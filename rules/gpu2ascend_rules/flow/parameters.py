"""From an argument of a call to the parameter of a function that the same file defines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from tree_sitter import Node

from ..limits.parents import parent_of, parent_type
from ..limits.walks import WALK_LIMITS
from ..text.scopes import BindingKind
from ..text.syntax import arguments_of, enclosing, field, is_field, parts_of, text_of

if TYPE_CHECKING:
    from ..engine.context import Context

_SPLATS = frozenset({"list_splat_pattern", "keyword_separator"})
_WITHOUT_METHODS = frozenset({"object", "ABC", "abc.ABC"})
"""Bases that take no arguments of their own."""


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
    for definition in _definitions(function, ctx):
        if definition.type == "function_definition":
            return parameter_of(definition, argument, bound=False)
        initializer = _method_of_any([definition], "__init__", ctx)
        if initializer is not None:
            return parameter_of(initializer, argument, bound=True)
        described = _field_of(definition, argument, ctx)
        if described is not None:
            return described
    return None


def _definitions(name: Node, ctx: Context) -> Iterator[Node]:
    """The classes and functions of the file that a name stands for."""
    for binding in ctx.source.names.bindings_in_scope(text_of(name), name):
        if binding.kind is BindingKind.DEFINITION:
            yield binding.statement


def _of_method(function: Node, argument: str | int, ctx: Context) -> Node | None:
    """A method that ``self``, ``cls``, ``super()`` or a class of the file is asked for."""
    receiver, name = field(function, "object"), field(function, "attribute")
    if receiver is None or name is None:
        return None
    is_class = False
    if text_of(receiver) in ("self", "cls"):
        owner = enclosing(function, "class_definition")
        owners: list[Node | None] = [owner] if owner is not None else []
    elif receiver.type == "call":
        owners = _classes_of(_bases_behind(receiver, ctx), ctx)
    else:
        found = _class_named(receiver, ctx) if text_of(name) == "__init__" else None
        owners, is_class = ([found] if found is not None else []), True
    method = _method_of_any(owners, text_of(name), ctx)
    bound = method is not None and not is_class and not is_static(method)
    return parameter_of(method, argument, bound=bound) if method is not None else None


def bases_initialized_by(call: Node, ctx: Context) -> list[Node]:
    """The bases that ``super().__init__(...)`` may initialize, as the class statement names them."""
    function = field(call, "function")
    receiver = field(function, "object")
    is_initializer = receiver is not None and text_of(field(function, "attribute") or call) == "__init__"
    return _bases_behind(receiver, ctx) if is_initializer and receiver is not None else []


def _bases_behind(receiver: Node, ctx: Context) -> list[Node]:
    """The bases that ``super()`` or ``super(Net, self)`` asks."""
    function = field(receiver, "function")
    if function is None or text_of(function) != "super":
        return []
    given = arguments_of(receiver).at(0)
    owner = _class_named(given.value, ctx) if given is not None else enclosing(receiver, "class_definition")
    return base_expressions(owner) if owner is not None else []


def base_expressions(owner: Node) -> list[Node]:
    """What a class statement names as its bases, as far as the limit."""
    holder = field(owner, "superclasses")
    listed = parts_of(holder) if holder is not None else []
    return [base for base in listed if base.type != "keyword_argument"][: WALK_LIMITS.bases]


def _class_named(expression: Node, ctx: Context) -> Node | None:
    """The one class of the file that a name stands for."""
    if expression.type != "identifier":
        return None
    found = list(_definitions(expression, ctx))
    return found[0] if len(found) == 1 and found[0].type == "class_definition" else None


def _classes_of(bases: Sequence[Node], ctx: Context) -> list[Node | None]:
    """The classes that bases are, None for one that the file does not define."""
    return [_class_named(base, ctx) for base in bases if text_of(base) not in _WITHOUT_METHODS]


def _method_of_any(owners: Sequence[Node | None], name: str, ctx: Context) -> Node | None:
    """The method of a name that the first of some classes has, or inherits, in the order of the bases.

    None where a class comes first that the file does not define, for it may have the method.
    """
    waiting = [*reversed(owners)]
    seen: set[int] = set()
    while waiting and len(seen) < WALK_LIMITS.bases:
        owner = waiting.pop()
        if owner is None:
            return None
        if owner.id in seen:
            continue
        seen.add(owner.id)
        method = _own_method(owner, name, ctx)
        if method is not None:
            return method
        waiting.extend(reversed(_classes_of(base_expressions(owner), ctx)))
    return None


def _own_method(owner: Node, name: str, ctx: Context) -> Node | None:
    return ctx.once(("own method", owner.id, name), lambda: method_of(owner, name))


def _field_of(definition: Node, argument: str | int, ctx: Context) -> Node | None:
    """The field of a dataclass that an argument of its constructor fills; by position if it has no bases."""
    if not is_dataclass(definition):
        return None
    fields = ctx.once(
        ("fields", definition.id), lambda: {text_of(name): name for name in fields_of(definition)}
    )
    if isinstance(argument, str):
        return fields.get(argument)
    has_more = bool(base_expressions(definition))
    return None if has_more else next(islice(fields.values(), argument, None), None)


def is_dataclass(definition: Node) -> bool:
    """Whether a decorator makes a class's annotations the parameters of its constructor."""
    holder = parent_of(definition)
    decorators = holder.children if holder is not None and holder.type == "decorated_definition" else []
    return any(child.type == "decorator" and "dataclass" in text_of(child) for child in decorators)


def fields_of(definition: Node) -> Iterator[Node]:
    """The names that the body of a class annotates, in order."""
    body = field(definition, "body")
    for statement in body.named_children if body is not None else ():
        assignment = statement.named_children[0] if statement.type == "expression_statement" else None
        name = field(assignment, "left")
        if name is not None and name.type == "identifier" and field(assignment, "type") is not None:
            yield name


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
    return parameter_of(definition, name, bound=False)


def is_class_method(method: Node) -> bool:
    """Whether a method is given its class before its arguments."""
    holder = parent_of(method)
    if holder is None or holder.type != "decorated_definition":
        return False
    return any(text_of(child) == "@classmethod" for child in holder.children)


def is_static(method: Node) -> bool:
    """Whether a method is called without an object or a class before its arguments."""
    holder = parent_of(method)
    if holder is None or holder.type != "decorated_definition":
        return False
    return any(text_of(child) == "@staticmethod" for child in holder.children)


def parameter_of(definition: Node, argument: str | int, *, bound: bool) -> Node | None:
    """The identifier of the parameter of a function that takes an argument.

    Args:
        argument: The position or the keyword.
        bound: Whether the first parameter is given already, as that of a method is.
    """
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


def star_parameter(definition: Node, argument: str | int, *, bound: bool) -> tuple[Node, str] | None:
    """The identifier of ``*rest`` or ``**rest`` that collects an argument, and its key there.

    The key of a positional argument is its place in square brackets.
    """
    wanted = "dictionary_splat_pattern" if isinstance(argument, str) else "list_splat_pattern"
    position = -1 if bound else 0
    holder = field(definition, "parameters")
    for child in parts_of(holder) if holder is not None else ():
        inner = child.named_children[0] if child.type == "typed_parameter" else child
        if inner.type == wanted and inner.named_children:
            key = argument if isinstance(argument, str) else f"[{argument - position}]"
            return inner.named_children[0], key
        position += 1
    return None


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
