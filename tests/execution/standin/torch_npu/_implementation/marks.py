"""Marks for the profiler of CANN."""

import functools
import itertools

from .._surface import exists

__all__ = ["mstx"]

_ids = itertools.count(1)


def _mark(message, stream=None):
    return None


def _range_start(message, stream=None):
    return next(_ids)


def _range_end(range_id):
    return None


def _range_push(message):
    return 0


def _range_pop():
    return 0


def _mstx_range(message, stream=None):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    return decorate


_FUNCTIONS = {
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
