"""Two readings of where an object was made: by another framework, and on the CPU."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..flow.libraries import is_foreign_library
from ..inference.walk.reading import Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..limits.parents import parent_of
from ..text.names import NameResolution
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import arguments_of, call_of, text_of

_ON_CPU = frozenset(
    {
        "torch.from_numpy", "torch.BFloat16Tensor", "torch.BoolTensor", "torch.ByteTensor",
        "torch.CharTensor", "torch.DoubleTensor", "torch.FloatTensor", "torch.HalfTensor",
        "torch.IntTensor", "torch.LongTensor", "torch.ShortTensor",
    }
)  # fmt: skip
"""What gives tensors on the CPU, whatever the default device."""


def is_made_by_foreign(expression: Node, ctx: Context) -> bool:
    """Whether what an object was made of, as in ``paddle.ones().cuda()``, is of a library without torch."""
    walker = ctx.once("made by whom", lambda: Walker(ctx.source, _Frameworks(), ctx.instances.classes))
    return walker.of(expression) is _Framework.FOREIGN


def is_on_cpu(expression: Node, ctx: Context) -> bool:
    """Whether a tensor is evidently on the CPU: there the lists have nothing to say."""
    walker = ctx.once("made where", lambda: Walker(ctx.source, _Devices(), ctx.instances.classes))
    return walker.of(expression) is _Device.CPU


def names_cpu(device: Node, source: SourceFile) -> bool:
    """Whether an expression names the CPU as a device, itself or by a name that stands for nothing else."""
    if text_of(device) in _CPU:
        return True
    if device.type != "identifier":
        return False
    bindings = source.names.bindings_in_scope(text_of(device), device)
    values = [binding.value for binding in bindings]
    return bool(values) and all(text_of(value) in _CPU for value in values)


_CPU = frozenset(
    text for quote in "'\"" for text in (f"{quote}cpu{quote}", f"torch.device({quote}cpu{quote})")
)
"""The ways to write the device."""


class _Framework(enum.Enum):
    """Whose an object is."""

    FOREIGN = "of a library that has nothing to do with torch"
    OTHER = "of torch, of the project, or of anything else"
    UNKNOWN = "unknown"
    PENDING = "being looked into"


class _Frameworks(Reading[_Framework]):
    """The library that an object begins with. What gives a name no value says nothing about it."""

    unknown = _Framework.UNKNOWN
    pending = _Framework.PENDING
    ways = frozenset({Way.DRAWN, Way.ITEMS, Way.MEMBERS, Way.RESULTS, Way.UNPACKING})
    guesses = True

    def joined(self, values: Iterator[_Framework]) -> _Framework:
        found = set(values)
        if _Framework.OTHER in found:
            return _Framework.OTHER
        found.discard(_Framework.UNKNOWN)
        if _Framework.FOREIGN in found:
            return _Framework.FOREIGN
        return _Framework.PENDING if found else _Framework.UNKNOWN

    def dead_end(self, node: Node, walk: Walk[_Framework]) -> _Framework:
        return _Framework.OTHER

    def imported(self, binding: Binding, walk: Walk[_Framework]) -> _Framework | None:
        return _of(binding.target)

    def made_by(self, function: NameResolution, call: Node) -> _Framework | None:
        return _of(function.qualified_name) if function.binding is not None else None

    def unpacked(self, value: Node, walk: Walk[_Framework], depth: int) -> _Framework | None:
        return walk.of(value, depth)


def _of(qualified_name: str) -> _Framework:
    return _Framework.FOREIGN if is_foreign_library(qualified_name) else _Framework.OTHER


class _Device(enum.Enum):
    """Where a tensor is."""

    CPU = "on the CPU"
    ELSEWHERE = "wherever tensors are made"
    PENDING = "being looked into"


class _Devices(Reading[_Device]):
    """Where a tensor was put last. Of a name that is given several values nothing is known."""

    unknown = _Device.ELSEWHERE
    pending = _Device.PENDING
    ways = frozenset({Way.ITEMS, Way.MEMBERS})

    def joined(self, values: Iterator[_Device]) -> _Device:
        found = list(values)
        return found[0] if len(found) == 1 else self.unknown

    def made_by(self, function: NameResolution, call: Node) -> _Device | None:
        if not function.qualified_name.startswith("torch."):
            return None
        return _Device.CPU if function.qualified_name in _ON_CPU else _Device.ELSEWHERE

    def method(self, receiver: Node, name: str, walk: Walk[_Device], depth: int) -> _Device | None:
        call = call_of(parent_of(receiver))
        there = _is_put_on_cpu(name, call, walk.source) if call is not None else False
        if there is None:
            return walk.of(receiver, depth)
        return _Device.CPU if there else _Device.ELSEWHERE


def _is_put_on_cpu(method: str, call: Node, source: SourceFile) -> bool | None:
    """Whether a method gives a tensor on the CPU; None when it leaves the tensor where it was."""
    if method == "cpu":
        return True
    arguments = arguments_of(call)
    if method == "to":
        devices = [item.value for item in arguments.items if item.keyword in (None, "device")]
        return any(names_cpu(value, source) for value in devices)
    if method in ("cuda", "npu", "type", "new", "new_tensor") or arguments.keyword("device") is not None:
        return False
    return None
