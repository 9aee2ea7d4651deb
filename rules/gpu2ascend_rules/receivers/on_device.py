"""Whether a tensor is evidently on a device that is not the CPU: where it was put last."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..flow import device_flow
from ..inference.kinds import Kind
from ..inference.walk.reading import Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..limits.parents import parent_of
from ..text.names import NameResolution
from ..text.syntax import Arguments, arguments_of, call_of, last_name, text_of
from .made_by import names_cpu

_MOVES = frozenset({"cuda", "npu"})
TO_HOST = frozenset({"cpu", "item", "numpy", "tolist"})
"""Methods whose result is on the host."""


def is_on_device(expression: Node, ctx: Context) -> bool:
    """Whether a tensor was put on a device that is not the CPU, and not taken from there."""
    walker = ctx.once("put on a device", lambda: Walker(ctx.source, _Places(ctx), ctx.instances.classes))
    return walker.of(expression) is _Place.DEVICE


def names_device(call: Node, ctx: Context) -> bool:
    """Whether a call names a device that is not the CPU."""
    name, arguments = last_name(call), arguments_of(call)
    if name in _MOVES:
        return True
    device = arguments.keyword("device")
    given = device.value if device is not None else _first_device(name, arguments, ctx)
    if given is None or "cpu" in text_of(given) or text_of(given) == "None":
        return False
    return not names_cpu(given, ctx.source)


def _first_device(name: str, arguments: Arguments, ctx: Context) -> Node | None:
    """The device that ``.to()`` is given by position."""
    first = arguments.at(0)
    if name != "to" or first is None:
        return None
    if first.value.type == "string":
        return first.value
    if ctx.source.names.name_of(first.value).startswith("torch."):
        return None  # a dtype
    is_device = ctx.kind(first.value) is Kind.DEVICE or device_flow(ctx).is_named(first.value)
    return first.value if is_device else None


class _Place(enum.Enum):
    """Where a tensor was put last."""

    DEVICE = "on a device that is not the CPU"
    OTHER = "anywhere"
    PENDING = "being looked into"


class _Places(Reading[_Place]):
    """The last move of a tensor, or of the module that it is a result of."""

    unknown = _Place.OTHER
    pending = _Place.PENDING
    ways = frozenset({Way.ITEMS, Way.LATEST, Way.RESULTS})

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def joined(self, values: Iterator[_Place]) -> _Place:
        found = set(values) - {self.pending}
        return found.pop() if len(found) == 1 else self.unknown

    def made_by(self, function: NameResolution, call: Node) -> _Place | None:
        return _Place.DEVICE if names_device(call, self._ctx) else None

    def method(self, receiver: Node, name: str, walk: Walk[_Place], depth: int) -> _Place | None:
        call = call_of(parent_of(receiver))
        if name in TO_HOST or call is None:
            return _Place.OTHER
        if names_device(call, self._ctx):
            return _Place.DEVICE
        is_moved = name == "to" or arguments_of(call).keyword("device") is not None
        return _Place.OTHER if is_moved and not _is_dtype(call, self._ctx) else walk.of(receiver, depth)


def _is_dtype(call: Node, ctx: Context) -> bool:
    """Whether ``.to()`` is given a data type alone."""
    items = arguments_of(call).items
    return len(items) == 1 and ctx.source.names.name_of(items[0].value).startswith("torch.")
