"""Operators that draw random numbers: from the generator of the device, never from that of the CPU."""

from __future__ import annotations

import threading
from typing import Any

import torch

from .generators import default_generator, inner_state, is_of_device

_exchange = threading.RLock()


def draw(plan: Any, index: int, args: Any, kwargs: Any) -> Any:
    """Runs an operator that draws.

    Raises:
        RuntimeError: the generator given is one of another kind of device.
    """
    if not plan.takes_generator:
        return _with_exchanged_state(plan.operator, default_generator(index), args, kwargs)
    given = kwargs.get("generator")
    at = next((place for place, value in enumerate(args) if isinstance(value, torch._C.Generator)), None)
    if at is not None:
        given = args[at]
    if given is None:
        return plan.operator(*args, **{**kwargs, "generator": default_generator(index)})
    if not is_of_device(given):
        raise RuntimeError(f"Expected a 'npu' device type for generator but found '{given.device.type}'")
    return plan.operator(*args, **kwargs)


def _with_exchanged_state(operator: Any, generator: Any, args: Any, kwargs: Any) -> Any:
    """Runs an operator that knows only torch's default generator, which lends its place."""
    of_cpu = torch.default_generator
    if generator is of_cpu:
        return operator(*args, **kwargs)
    with _exchange:
        before = of_cpu.get_state()
        of_cpu.set_state(inner_state(generator))
        try:
            return operator(*args, **kwargs)
        finally:
            torch._C.Generator.set_state(generator, of_cpu.get_state())
            of_cpu.set_state(before)
