"""Variables that hold an ordinal in one case and a device in another: ``rank if has_gpu else 'cpu'``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from ...inference.kinds import Kind
from ...text.scopes import Binding
from ...text.syntax import enclosing, parts_of, text_of, without_parentheses
from ..verdicts import Role
from ..words import is_device_name
from .devices import device_flow

if TYPE_CHECKING:
    from ...engine.context import Context


class OrdinalArms(NamedTuple):
    """The ordinals among what a variable may hold."""

    arms: tuple[Node, ...]
    only_devices: bool
    """Whether every use of the variable takes a device, so that it may hold a device instead."""


NO_ARMS = OrdinalArms((), only_devices=False)


def ordinal_arms(variable: Node, ctx: Context) -> OrdinalArms:
    """The ordinals that a variable holds in some cases only; none when it always holds one, or never."""
    if variable.type == "attribute":
        owner, name = enclosing(variable, "class_definition"), text_of(variable).removeprefix("self.")
        if owner is None or "." in name:
            return NO_ARMS
        values = ctx.types.assigned_to_self(owner, name)
        return OrdinalArms(_ordinals(name, values, ctx), only_devices=False)
    bindings = ctx.source.names.bindings_in_scope(text_of(variable), variable)
    if variable.type != "identifier" or not bindings:
        return NO_ARMS
    key = ("ordinal arms", text_of(variable), bindings[0].scope.id)
    return ctx.once(key, lambda: _of_variable(bindings, ctx))


def _of_variable(bindings: tuple[Binding, ...], ctx: Context) -> OrdinalArms:
    first = bindings[0]
    values = (binding.value for binding in bindings if binding.value is not None)
    arms = _ordinals(first.name, values, ctx)
    return OrdinalArms(arms, _has_device_uses_only(first, ctx)) if arms else NO_ARMS


def _ordinals(name: str, values: Iterable[Node], ctx: Context) -> tuple[Node, ...]:
    """The ordinals among the values of a variable, if it holds devices otherwise."""
    arms = [arm for value in values for arm in arms_of(value)]
    kinds = [ctx.kind(arm) for arm in arms]
    if Kind.DEVICE not in kinds and Kind.TEXT not in kinds and not is_device_name(name):
        return ()
    return tuple(arm for arm, kind in zip(arms, kinds, strict=True) if kind is Kind.INTEGER)


def arms_of(value: Node) -> Iterator[Node]:
    """The expressions that a choice chooses from."""
    value = without_parentheses(value)
    parts = parts_of(value)
    if value.type == "conditional_expression" and len(parts) == 3:
        chosen = [parts[0], parts[2]]
    elif value.type == "boolean_operator":
        chosen = parts
    else:
        yield value
        return
    for part in chosen:
        yield from arms_of(part)


def _has_device_uses_only(binding: Binding, ctx: Context) -> bool:
    flow = device_flow(ctx)
    for use in flow.reads_of(binding.node):
        holder = enclosing(use, "assignment")
        target = holder.child_by_field_name("left") if holder is not None else None
        if target is not None and text_of(target) == binding.name:
            continue  # ``device = device or ...``: the variable again
        if flow.role_of_value(use, "cuda:0").role is not Role.CONSUMED:
            return False
    return True
