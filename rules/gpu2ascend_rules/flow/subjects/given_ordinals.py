"""Ordinals that come from the callers of a function, or go to them: what the project says of both."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...inference.kinds import Kind
from ...inference.naming_hints import INTEGER_NAMES
from ...limits.parents import parent_of
from ...limits.walks import WALK_LIMITS
from ...model.project.inputs import Asked, Found, NumberQuestion, Numbers
from ...text.scopes import BindingKind
from ...text.syntax import enclosing, field, parts_of, text_of, without_parentheses
from .device_ordinals import arms_of

if TYPE_CHECKING:
    from ...engine.context import Context

_NUMBER = re.compile(r"\bint\b|\bAny\b|\bobject\b")
"""In an annotation that allows a number."""


class Shown(enum.Enum):
    """Whether a value that may be an ordinal always is one."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"
    """Some callers give a device, or nobody knows what they give."""
    NEVER = "never"


def shown_by_callers(value: Node, ctx: Context) -> Shown:
    """Whether a value is an ordinal, judged by what calls give for the parameters that it comes from.

    That the default of a parameter is a number, or its name is one for numbers, is no proof of its own.
    """
    if _is_number_tested(value):
        return Shown.NEVER
    shown = [_shown(name, ctx) for name in _parameters(without_parentheses(value), ctx, 0)]
    if Shown.SOMETIMES in shown or (Shown.ALWAYS in shown and Shown.NEVER in shown):
        return Shown.SOMETIMES
    if ctx.kind(value) is Kind.INTEGER or (shown == [Shown.ALWAYS] and value.type == "identifier"):
        return Shown.ALWAYS
    return Shown.SOMETIMES if shown and Shown.NEVER not in shown else Shown.NEVER


def is_given_devices(value: Node, ctx: Context) -> bool:
    """Whether a value is a parameter for which all calls that are known give a device or its name, and which
    is no number by its default or by its own name."""
    names = list(_parameters(without_parentheses(value), ctx, 0))
    return bool(names) and all(
        _given(name, ctx) == {Found.DEVICE} and _shown(name, ctx) is Shown.NEVER for name in names
    )


def is_always_given(default: Node, ctx: Context) -> bool:
    """Whether a value is the default of a parameter that every known call of the function gives, and there
    is one."""
    name = field(parent_of(default), "name")
    given = _ask(Asked.GIVEN, name, ctx) if name is not None else frozenset()
    return bool(given) and Found.LEFT not in given


def _given(name: Node, ctx: Context) -> Numbers:
    return _ask(Asked.GIVEN, name, ctx) - {Found.LEFT}


def _is_number_tested(value: Node) -> bool:
    """Whether the code asks already whether a value is a number: ``f(x) if isinstance(x, int) else x``."""
    choice = enclosing(value, "conditional_expression", "function_definition", "lambda")
    parts = parts_of(choice) if choice is not None and choice.type == "conditional_expression" else []
    return len(parts) == 3 and text_of(parts[1]).startswith(f"isinstance({text_of(value)},")


def _shown(name: Node, ctx: Context) -> Shown:
    """What is known of one parameter."""
    holder = parent_of(name)
    default = field(holder, "value")
    kind = ctx.kind(default) if default is not None else Kind.UNKNOWN
    annotation = field(holder, "type")
    is_no_number = annotation is not None and _NUMBER.search(text_of(annotation)) is None
    if kind is not Kind.INTEGER and (is_no_number or "dtype" in text_of(name)):
        return Shown.NEVER
    says_number = text_of(name) in INTEGER_NAMES or _is_annotated(holder, "int")
    return _shown_by(_given(name, ctx), kind, says_number=says_number)


def _shown_by(given: Collection[Found], kind: Kind, *, says_number: bool) -> Shown:
    """What the callers show of a parameter, beside its default and its name."""
    if Found.DEVICE in given:
        may_be_number = says_number or Found.NUMBER in given or kind is Kind.INTEGER
        return Shown.SOMETIMES if may_be_number else Shown.NEVER
    if given == {Found.NUMBER}:
        return Shown.ALWAYS if kind in (Kind.INTEGER, Kind.UNKNOWN, Kind.NONE) else Shown.SOMETIMES
    if Found.NUMBER in given:
        return Shown.ALWAYS if says_number else Shown.SOMETIMES
    if says_number:
        return Shown.ALWAYS
    return Shown.SOMETIMES if kind is Kind.INTEGER else Shown.NEVER


def _is_annotated(holder: Node | None, name: str) -> bool:
    annotation = field(holder, "type")
    return annotation is not None and text_of(annotation) == name


def _parameters(value: Node, ctx: Context, depth: int) -> Iterator[Node]:
    """The parameters of which a variable or an attribute of ``self`` gets its value."""
    if depth > WALK_LIMITS.bases:
        return
    if value.type == "attribute":
        owner, name = enclosing(value, "class_definition"), text_of(value).removeprefix("self.")
        if owner is not None and text_of(value) != name and "." not in name:
            for given in ctx.types.assigned_to_self(owner, name):
                yield from _parameters(without_parentheses(given), ctx, depth + 1)
        return
    if value.type != "identifier":
        return
    bindings = ctx.source.names.bindings_in_scope(text_of(value), value)
    for binding in bindings if len(bindings) == 1 else ():  # one that is set anew may be anything by then
        if binding.kind is BindingKind.PARAMETER:
            yield binding.node
        elif binding.value is not None:
            yield from _parameters(without_parentheses(binding.value), ctx, depth + 1)


def is_number_of_function(value: Node, ctx: Context) -> bool:
    """Whether a call gives what a function of the project returns, and that is a number."""
    return value.type == "call" and _ask(Asked.RETURNED, value, ctx) == {Found.NUMBER}


def ordinals_given_back(string: Node, ctx: Context) -> tuple[tuple[Node, ...], bool]:
    """The ordinals that a function returns in place of the device that a text names, and are used as devices.

    Returns:
        They, and whether all that is done with them takes devices.
    """
    statement = enclosing(string, "return_statement", "function_definition", "lambda")
    function = enclosing(string, "function_definition")
    if statement is None or statement.type != "return_statement" or function is None:
        return (), False
    values = ctx.instances.classes.returned_by(function)
    arms = [arm for value in values for arm in arms_of(value) if ctx.kind(arm) is Kind.INTEGER]
    used = {found for arm in arms for found in _ask(Asked.USED, arm, ctx)}
    return (tuple(arms), used == {Found.DEVICE}) if Found.DEVICE in used else ((), False)


def _ask(asked: Asked, node: Node, ctx: Context) -> Numbers:
    start = ctx.source.offset_in_first(node.start_byte)
    end = start + node.end_byte - node.start_byte
    return ctx.project.program.numbers(NumberQuestion(asked, ctx.source.path, start, end), ctx.options)
