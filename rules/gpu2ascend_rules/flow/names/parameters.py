"""What the text of a class or a function shows of it: bases, fields, methods and parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import WALK_LIMITS
from ...text.syntax import enclosing, field, last_name, parts_of, text_of

_SPLATS = frozenset({"list_splat_pattern", "keyword_separator"})


def bases_initialized_by(call: Node) -> list[Node]:
    """The bases that ``super().__init__(...)`` may initialize, as the class statement names them."""
    function = field(call, "function")
    receiver, name = field(function, "object"), field(function, "attribute")
    is_super = receiver is not None and receiver.type == "call" and last_name(receiver) == "super"
    owner = enclosing(call, "class_definition") if is_super and name is not None else None
    return base_expressions(owner) if owner is not None and text_of(name or call) == "__init__" else []


def base_expressions(owner: Node) -> list[Node]:
    """What a class statement names as its bases, as far as the limit."""
    holder = field(owner, "superclasses")
    listed = parts_of(holder) if holder is not None else []
    return [base for base in listed if base.type != "keyword_argument"][: WALK_LIMITS.bases]


def is_dataclass(definition: Node) -> bool:
    """Whether a decorator makes a class's annotations the parameters of its constructor."""
    return any("dataclass" in text for text in decorators_on(definition))


def fields_of(definition: Node) -> Iterator[Node]:
    """The names that the body of a class annotates or that attrs makes fields, in order."""
    body = field(definition, "body")
    for statement in body.named_children if body is not None else ():
        assignment = statement.named_children[0] if statement.type == "expression_statement" else None
        name = field(assignment, "left")
        is_field = field(assignment, "type") is not None or _is_described(field(assignment, "right"))
        if name is not None and name.type == "identifier" and is_field:
            yield name


def _is_described(value: Node | None) -> bool:
    """Whether a call of attrs makes a field."""
    return value is not None and value.type == "call" and last_name(value) in ("ib", "attrib")


def method_of(owner: Node, name: str) -> Node | None:
    """A class's own method of a name."""
    return next((method for method in methods_of(owner) if text_of(field(method, "name")) == name), None)


def methods_of(owner: Node) -> Iterator[Node]:
    """A class's own methods."""
    return functions_in(owner) if owner.type == "class_definition" else iter(())


def functions_in(owner: Node) -> Iterator[Node]:
    """The functions that the body of a function or class defines directly."""
    body = field(owner, "body")
    for child in body.named_children if body is not None else ():
        definition = field(child, "definition") if child.type == "decorated_definition" else child
        if definition is not None and definition.type == "function_definition":
            yield definition


def parameter_named(definition: Node, name: str) -> Node | None:
    """The identifier of a function's parameter of a name."""
    return parameter_of(definition, name, bound=False)


def is_class_method(method: Node) -> bool:
    """Whether a method is given its class before its arguments."""
    return "@classmethod" in decorators_on(method)


def is_static(method: Node) -> bool:
    """Whether a method is called without an object or a class before its arguments."""
    return "@staticmethod" in decorators_on(method)


def decorators_on(definition: Node) -> list[str]:
    """The decorators of a function or class, as they are written."""
    holder = parent_of(definition)
    decorated = holder.children if holder is not None and holder.type == "decorated_definition" else []
    return [text_of(child) for child in decorated if child.type == "decorator"]


def parameter_of(definition: Node, argument: str | int, *, bound: bool) -> Node | None:
    """The identifier of the parameter of a function that takes an argument.

    Args:
        argument: The position or the keyword.
        bound: Whether the first parameter is given already, as that of a method is.
    """
    positional = True
    position = -1 if bound else 0
    for name, kind in parameters_of(definition):
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


def parameters_of(definition: Node) -> Iterator[tuple[Node | None, str]]:
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
    return any(text.endswith("property") for text in decorators_on(definition))
