"""Why a walk got no further, in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from ...model.finding import Message
from ...text.syntax import enclosing, field, text_of
from .reading import Stop, Unfollowed

_LONGEST = 40
"""Characters of the code that a reason shows."""


def reason(unfollowed: Sequence[Unfollowed]) -> Message:
    """The first reason for which nothing is known; the places after it only follow from it."""
    first = unfollowed[0] if unfollowed else None
    if first is None:
        return Message.of("walk.unknown")
    return Message.of(f"walk.{message_of(first.stop)}", text=shown(first.node))


def way_out(place: Node | None) -> Message:
    """Where a value leaves what is followed, by the last place that it was seen at."""
    if place is None:
        return Message.of("walk.unseen")
    if place.type in ("call", "argument_list", "keyword_argument"):
        call = place if place.type == "call" else enclosing(place, "call")
        function = field(call, "function")
        return Message.of("walk.given", text=shown(function or place))
    if place.type == "return_statement":
        return Message.of("walk.returned")
    target = field(place, "left") if place.type in ("assignment", "augmented_assignment") else None
    return Message.of("walk.placed" if target is None else "walk.kept", text=shown(target or place))


def message_of(stop: Stop) -> str:
    """The id of a reason's text, without the family's prefix."""
    return stop.name.lower().replace("_", "-")


def shown(node: Node) -> str:
    """The first line of a piece of code, as a message shows it."""
    first = text_of(node).strip().split("\n", 1)[0]
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"
