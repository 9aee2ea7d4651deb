"""What the NPU makes of a way that needs CUDA: it comes there, takes another, or a switch decides."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.parents import parent_of
from ...model.finding import Severity
from ...text.guards import conditions_over, has_other_way, is_guarded
from ...text.scopes import BindingKind
from ...text.syntax import OWN_SCOPES, ancestors, arguments_of, field, text_of
from .fallbacks import has_fallback
from .needing.given import decorators_of
from .npu_answers import answer_of

if TYPE_CHECKING:
    from ...engine.context import Context


class Way(enum.Enum):
    """What the NPU makes of a way that needs CUDA; the values name the messages that say so."""

    TAKEN = "taken"
    """It comes there, as far as anybody knows."""
    FALLBACK = "fallback"
    """It takes another one."""
    OPTIONAL = "optional"
    """It comes there only if a switch of the project says so, or if the library is there."""

    @property
    def severity(self) -> Severity:
        """That of saying so: what another way replaces asks for nothing, a switch must be left off."""
        return Severity.INFORMATION if self is Way.OPTIONAL else Severity.HINT


def way_of_use(place: Node, name: Node, ctx: Context) -> Way:
    """What the NPU makes of a place that uses an imported name."""
    if has_fallback(place, ctx):
        return Way.FALLBACK
    is_optional = _is_optional(place, name, ctx) or has_fallback(place, ctx, by_default=True)
    return Way.OPTIONAL if is_optional else Way.TAKEN


def way_of_import(statement: Node, ctx: Context) -> Way:
    """What the NPU makes of an import that does not follow from a failure of its own."""
    if has_fallback(statement, ctx):
        return Way.FALLBACK
    is_optional = is_avoided(statement, ctx) or has_fallback(statement, ctx, by_default=True)
    return Way.OPTIONAL if is_optional else Way.TAKEN


def is_avoided(statement: Node, ctx: Context) -> bool:
    """Whether the NPU does not come to a statement by itself, whatever it takes instead."""
    conditions = conditions_over(statement, *OWN_SCOPES)
    return any(answer_of(condition, ctx) is (not holds) for condition, holds in conditions)


def _is_optional(place: Node, name: Node, ctx: Context) -> bool:
    """Whether a name may be missing, as its imports are tried or tested for, and a switch of the project's
    chooses whether a place that uses it is come to."""
    bindings = ctx.source.names.bindings_in_scope(text_of(name), name)
    imports = [item for item in bindings if item.kind is BindingKind.IMPORT]
    if not imports or not all(
        is_guarded(item.statement) or is_avoided(item.statement, ctx) for item in imports
    ):
        return False
    return has_other_way(place) or _is_one_of_several(place, ctx)


def _is_one_of_several(place: Node, ctx: Context) -> bool:
    """Whether a place is in a function or class that is only an entry among others of tables."""
    owners = [
        node for node in ancestors(place) if node.type in OWN_SCOPES and field(node, "name") is not None
    ]
    for owner in owners:
        name = field(owner, "name")
        scope = ctx.source.names.scope_of(owner)
        if name is None or scope.type == "class_definition":
            continue
        uses = ctx.source.names.readers(text_of(name), scope)
        if not uses and any(map(_is_keyed, decorators_of(owner))):
            return True
        if uses and all(_is_entry(use) or has_other_way(use) for use in uses):
            return True
    return False


def _is_keyed(decorator: Node) -> bool:
    """``@backend('flash')``: it enters what it decorates under a name."""
    call = decorator.named_children[0] if decorator.named_children else None
    first = arguments_of(call).at(0) if call is not None and call.type == "call" else None
    return first is not None and first.value.type == "string"


def _is_entry(use: Node) -> bool:
    pair = parent_of(use)
    table = parent_of(pair) if pair is not None and pair.type == "pair" else None
    return table is not None and table.named_child_count > 1
