"""Settings of a project, and what they are where nobody gives them another value."""

from __future__ import annotations

from collections.abc import Iterator
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.walks import NAME_LIMITS
from ...text.scopes import Binding, BindingKind
from ...text.syntax import arguments_of, chain_of, field, last_name, text_of, without_parentheses
from ...text.uses import values_of_attribute
from ..templates import plain_text
from .conditions.whole import combined

if TYPE_CHECKING:
    from ...engine.context import Context

ON, OFF, UNKNOWN = "true", "false", "?"
METHOD = "."
"""Before the name of a method, where functions have their name alone."""
_EQUAL, _UNEQUAL = frozenset({"==", "in", "is"}), frozenset({"!=", "not in", "is not"})
_ORDERS = {">": gt, "<": lt, ">=": ge, "<=": le}
_GETTERS = {"get": 0, "getenv": 0, "pop": 0, "getattr": 1}
"""By the place of the name that they look up; a default follows it."""


def plain_name(name: str) -> str:
    """A setting's name however it is spelled: ``--use-kernel``, ``USE_KERNEL``."""
    return name.lstrip("-").replace("-", "_").lower()


def constant_of(value: Node) -> str:
    """What a constant is, as a word; 0, 1 and ``None`` count as they would in a test."""
    text = plain_text(value) if value.type == "string" else None
    if text is not None:
        return text.lower() or OFF
    if value.type in ("false", "none") or text_of(value) in ("0", "0.0"):
        return OFF
    if value.type == "integer" and text_of(value) != "1":
        return text_of(value)
    return ON if value.type in ("true", "integer", "float") else UNKNOWN


def _number_of(word: str | None) -> int | None:
    word = {OFF: "0", ON: "1"}.get(word or "", word or "")
    return int(word) if word.isdecimal() else None


def default_of_declaration(call: Node) -> str:
    """What an option is where the command line does not give it."""
    arguments = arguments_of(call)
    action, default = arguments.keyword("action"), arguments.keyword("default")
    acts = plain_text(action.value) if action is not None else None
    if default is not None:
        return constant_of(default.value)
    is_flag = arguments.keyword("is_flag") is not None
    return {"store_true": OFF, "store_false": ON, None: OFF}.get(acts, OFF if is_flag else UNKNOWN)


def is_by_default(condition: Node, ctx: Context) -> bool | None:
    """Whether a condition on settings is true where no file of the project gives them another value than
    their default; None of one that is on something else."""
    node = without_parentheses(condition)
    if node.type in ("not_operator", "boolean_operator"):
        return combined(node, lambda part: is_by_default(part, ctx))
    if node.type == "comparison_operator":
        return _of_comparison(node, ctx)
    value = _value_of(node, ctx, NAME_LIMITS.conditions)
    return None if value is None else value != OFF


def _of_comparison(node: Node, ctx: Context) -> bool | None:
    if node.child_count != 3:
        return None
    left, operator, right = node.children
    option = plain_text(left) if left.type == "string" and text_of(right) == "sys.argv" else None
    if option is not None and option.startswith("-"):
        is_given = bool(ctx.project.cuda.given_values(plain_name(option)) - {OFF})
        return None if is_given else operator.type == "not in"
    if operator.type in _ORDERS:
        first = _number_of(_value_of(left, ctx, NAME_LIMITS.conditions))
        second = _number_of(constant_of(right))
        if first is None or second is None:
            return None
        return bool(_ORDERS[operator.type](first, second))
    words = {constant_of(item) for item in _listed(right)}
    if UNKNOWN in words or not words or operator.type not in _EQUAL | _UNEQUAL:
        return None
    value = _value_of(left, ctx, NAME_LIMITS.conditions)
    return None if value is None else (value in words) is (operator.type in _EQUAL)


def _listed(node: Node) -> list[Node]:
    return node.named_children if node.type in ("tuple", "list", "set") else [node]


def _value_of(node: Node, ctx: Context, depth: int) -> str | None:
    """The default of a setting that no file gives another value."""
    found = list(_defaults(node, ctx, depth))
    if not found:
        return None
    value = found[0][1]
    if UNKNOWN in {value} or any(other != value for _, other in found):
        return None
    names = {plain_name(item) for item, _ in found} | {plain_name(_last_part(node))}
    given = frozenset().union(*(ctx.project.cuda.given_values(item) for item in names))
    for parameter in _parameters(node, ctx, depth):
        given |= ctx.project.cuda.given_values(*parameter)
    return value if given <= {value} else None


def _last_part(node: Node) -> str:
    chain = chain_of(node)
    return (
        chain.attributes[-1] if chain is not None and chain.attributes else _looked_up(node) or text_of(node)
    )


def _looked_up(node: Node) -> str | None:
    """The name that ``config.get('name', False)`` or ``getattr(config, 'name', False)`` asks for."""
    place = _GETTERS.get(last_name(node)) if node.type == "call" else None
    first = arguments_of(node).at(place) if place is not None else None
    return plain_text(first.value) if first is not None and first.value.type == "string" else None


def _defaults(node: Node, ctx: Context, depth: int) -> Iterator[tuple[str, str]]:
    """The names under which an expression is a setting, with the default of each."""
    if depth <= 0:
        return
    name = _looked_up(node)
    if name is not None:
        given = arguments_of(node).at(_GETTERS[last_name(node)] + 1)
        yield name, constant_of(given.value) if given is not None else OFF
    elif node.type == "identifier":
        for binding in ctx.source.names.bindings_in_scope(text_of(node), node):
            if binding.kind is BindingKind.PARAMETER:
                yield binding.name, constant_of(binding.value) if binding.value is not None else UNKNOWN
            elif binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
                yield from _of_value(binding.name, binding.value, ctx, depth)
            else:
                yield binding.name, UNKNOWN
    elif node.type == "attribute":
        own = list(_assigned_in_class(node, ctx))
        for value in own:
            yield from _of_value(_last_part(node), value, ctx, depth)
        if not own:
            yield from _of_option(_last_part(node), ctx)


def _parameters(node: Node, ctx: Context, depth: int) -> Iterator[tuple[str, str, int]]:
    """The parameters that an expression comes from: name, function or class, and place in a call."""
    if depth > 0 and node.type == "attribute":
        for value in _assigned_in_class(node, ctx):
            yield from _parameters(without_parentheses(value), ctx, depth - 1)
    for binding in (
        ctx.source.names.bindings_in_scope(text_of(node), node) if node.type == "identifier" else ()
    ):
        if binding.kind is BindingKind.PARAMETER:
            yield from _place_of(binding, ctx)
        elif depth > 0 and binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
            yield from _parameters(without_parentheses(binding.value), ctx, depth - 1)


def _place_of(parameter: Binding, ctx: Context) -> Iterator[tuple[str, str, int]]:
    function = parameter.scope
    name, holder = field(function, "name"), field(function, "parameters")
    if name is None or holder is None:
        return
    listed = [item for item in holder.named_children if item.type != "comment"]
    at = next(
        (i for i, item in enumerate(listed) if item.start_byte <= parameter.node.start_byte < item.end_byte),
        0,
    )
    owner = ctx.source.enclosing(function, "class_definition")
    is_method = owner is not None and text_of(listed[0]) in ("self", "cls")
    is_made = is_method and text_of(name) == "__init__"
    callee = field(owner, "name") if is_made else name
    mark = METHOD if is_method and not is_made else ""
    yield parameter.name, mark + text_of(callee or name), at - is_method


def _of_value(name: str, value: Node, ctx: Context, depth: int) -> Iterator[tuple[str, str]]:
    constant = constant_of(value)
    if constant is not UNKNOWN:
        yield name, constant
        return
    found = list(_defaults(without_parentheses(value), ctx, depth - 1))
    yield from found or [(name, UNKNOWN)]


def _assigned_in_class(node: Node, ctx: Context) -> Iterator[Node]:
    chain = chain_of(node)
    owner = ctx.source.enclosing(node, "class_definition")
    if chain is None or owner is None or len(chain.attributes) != 1 or text_of(chain.root) != "self":
        return
    yield from values_of_attribute(node, ctx.source, owner)


def _of_option(name: str, ctx: Context) -> Iterator[tuple[str, str]]:
    """What the files of the project that declare an option or a key of that name give it first."""
    given = ctx.project.cuda.given_values(plain_name(name))
    if len(given) == 1:
        yield name, next(iter(given))
