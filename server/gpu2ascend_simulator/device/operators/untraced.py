"""Kernels in Python that ``torch.jit.trace`` does not look into, as it does not look into those in C++."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

_state = torch._C._get_tracing_state
_set_state: Callable[[Any], None] = torch._C._set_tracing_state


def is_tracing() -> bool:
    """Whether ``torch.jit.trace`` runs."""
    return _state() is not None


def untraced(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose sizes, strides and own operators are no part of a trace: the operator was recorded."""

    @functools.wraps(kernel)
    def run(*args: Any, **kwargs: Any) -> Any:
        state = _state()
        if state is None:
            return kernel(*args, **kwargs)
        _set_state(None)
        try:
            return kernel(*args, **kwargs)
        finally:
            _set_state(state)

    return run
