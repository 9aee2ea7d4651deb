"""Whether an object was made by another framework."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from tree_sitter import Node

from ..engine.context import Context
from ..flow.libraries import is_foreign_library
from ..inference.walk.reading import Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..text.names import NameResolution
from ..text.scopes import Binding


def is_made_by_foreign(expression: Node, ctx: Context) -> bool:
    """Whether what an object was made of, as in ``paddle.ones().cuda()``, is of a library without torch."""
    walker = ctx.once("made by whom", lambda: Walker(ctx.source, _Frameworks(), ctx.instances.classes))
    return walker.of(expression) is _Framework.FOREIGN


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
