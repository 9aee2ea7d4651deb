"""Where a name is in what is assigned or looped over, and what a function returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from ...limits.below import nodes_below
from ...text.scopes import Binding
from ...text.syntax import OWN_SCOPES, arguments_of, field, last_name, parts_of, same

_PASS_THROUGH = frozenset({"tqdm", "enumerate", "iter", "reversed"})
"""Calls that yield what their first argument yields; ``enumerate`` with a number before it."""


class Part(NamedTuple):
    """What an assignment of several things at once gives one name."""

    value: Node
    """The element that belongs to the name, or the whole if it is not written out."""
    is_whole: bool


def part_of(binding: Binding) -> Part | None:
    """The part of ``a, b = value`` that a name gets; None where the text does not show which."""
    left, right = field(binding.statement, "left"), field(binding.statement, "right")
    if left is None or right is None:
        return None
    index = next((i for i, item in enumerate(left.named_children) if same(item, binding.node)), None)
    if index is None or any("splat" in item.type for item in left.named_children):
        return None
    if right.type not in ("expression_list", "tuple"):
        return Part(right, is_whole=True)
    values = parts_of(right)
    return Part(values[index], is_whole=False) if len(values) == len(left.named_children) else None


class Drawn(NamedTuple):
    """What a loop gives one name."""

    iterable: Node | None
    """What it is drawn from; None for the numbers of ``enumerate``."""
    place: tuple[int, ...]
    """Where the name is in each item: ``(1, 0)`` for ``x`` in ``for i, (x, y) in``."""


def drawn_by(binding: Binding) -> Drawn | None:
    """What a loop draws a name from, inside ``enumerate``, ``tqdm`` and the like."""
    iterable, target = field(binding.statement, "right"), field(binding.statement, "left")
    if iterable is None or target is None:
        return None
    place = place_in(target, binding.node)
    while iterable.type == "call" and last_name(iterable) in _PASS_THROUGH:
        if last_name(iterable) == "enumerate":
            if place[:1] == (0,):
                return Drawn(None, place)
            place = place[1:]
        arguments = arguments_of(iterable).positional
        if not arguments:
            return None
        iterable = arguments[0].value
    return Drawn(iterable, place)


def place_in(target: Node, name: Node) -> tuple[int, ...]:
    """Where a name is in the target of a loop or an assignment; empty for the target itself."""
    if same(target, name):
        return ()
    for index, child in enumerate(target.named_children):
        if child.start_byte <= name.start_byte < child.end_byte:
            return (index, *place_in(child, name))
    return ()


def values_returned(function: Node) -> Iterator[Node]:
    """What the ``return`` statements of a function give, but for those that give nothing."""
    for node in nodes_below(function, *OWN_SCOPES):
        if node.type == "return_statement" and node.named_children:
            yield node.named_children[0]
