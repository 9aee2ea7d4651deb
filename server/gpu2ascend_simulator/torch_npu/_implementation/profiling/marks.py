"""Marks for the profiler of CANN."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from ..._surface import exists

__all__ = ["mstx"]

_ids = itertools.count(1)


def _mark(message: Any, stream: Any = None) -> Any:
    return None


def _range_start(message: Any, stream: Any = None) -> Any:
    return next(_ids)


def _range_end(range_id: Any) -> Any:
    return None


def _range_push(message: Any) -> Any:
    return 0


def _range_pop() -> Any:
    return 0


def _mstx_range(message: Any, stream: Any = None) -> Any:
    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    return decorate


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "mark": _mark,
    "range_start": _range_start,
    "range_end": _range_end,
    "range_push": _range_push,
    "range_pop": _range_pop,
}

mstx = type(
    "mstx",
    (),
    {
        name: staticmethod(function)
        for name, function in _FUNCTIONS.items()
        if exists(f"torch_npu.npu.mstx.{name}")
    }
    | {"mstx_range": staticmethod(_mstx_range)},
)
