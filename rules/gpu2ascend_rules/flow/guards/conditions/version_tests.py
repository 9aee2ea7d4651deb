"""Tests of the release of torch, which the chosen version decides."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from ....text.syntax import text_of

if TYPE_CHECKING:
    from ....engine.context import Context

_OF_TORCH = re.compile(r"\btorch\.__version__|\bTORCH_VERSION\b|\btorch_version\b", re.I)
_WRITTEN = re.compile(r"(?:[\w.]*\(\s*)?(['\"])(\d+(?:\.\d+)*)\1\s*\)?")
_TUPLE = re.compile(r"[(\[]\s*(\d+(?:\s*,\s*\d+)*)\s*,?\s*[)\]]")
_ORDER: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def answer_of_version_test(comparison: Node, ctx: Context) -> bool | None:
    """Whether ``version.parse(torch.__version__) >= version.parse("2.0")`` holds for the chosen version."""
    if comparison.child_count != 3:
        return None
    left, order, right = (text_of(child) for child in comparison.children)
    given, asked = _release(right), _OF_TORCH.search(left)
    if given is None or not asked or order not in _ORDER:
        return None
    chosen = tuple(ctx.version)[: len(given)]
    return _ORDER[order](chosen, given)


def _release(text: str) -> tuple[int, ...] | None:
    written = _WRITTEN.fullmatch(text.strip())
    if written is not None:
        return tuple(int(part) for part in written[2].split("."))
    numbers = _TUPLE.fullmatch(text.strip())
    return tuple(int(part) for part in numbers[1].split(",")) if numbers is not None else None
