"""Random numbers of the wheel's generators: a seed and an offset, from which the CPU draws.

What is drawn depends on these two alone, so that states can be kept, restored and changed as on the device.
"""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import torch

_STEP = 4
"""Offsets are multiples of it."""
_lock = threading.RLock()


class _Shared:
    is_shared = False


def share_with_cpu() -> None:
    """Let every device draw from the generator of the CPU, as a run does that is compared with one there."""
    _Shared.is_shared = True


def draw(plan: Any, index: int, args: Any, kwargs: Any) -> Any:
    """Run an operator that draws, with tensors of the CPU.

    Raises:
        RuntimeError: the generator given is one of another kind of device.
    """
    at = next((place for place, value in enumerate(args) if isinstance(value, torch._C.Generator)), None)
    given = kwargs.get("generator") if at is None else args[at]
    if given is not None and given.device.type != "npu":
        raise RuntimeError(f"Expected a 'npu' device type for generator but found '{given.device.type}'")
    generator = _of_cpu(torch.npu.default_generators[index] if given is None else given)
    if not plan.takes_generator:
        return _with_exchanged_state(plan.operator, generator, args, kwargs)
    if at is not None:
        args = [*args[:at], generator, *args[at + 1 :]]
    else:
        kwargs = {**kwargs, "generator": generator}
    return plan.operator(*args, **kwargs)


def _of_cpu(generator: Any) -> Any:
    """A generator of the CPU for one draw of a device's, whose offset goes on."""
    if _Shared.is_shared:
        return torch.default_generator
    seed, offset = generator.initial_seed(), _offset(generator)
    _set_offset(generator, offset + _STEP)
    drawing = torch._C.Generator(device="cpu")
    return drawing.manual_seed(_mixed(seed, offset) if offset else seed)


def _mixed(seed: int, offset: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed} {offset}".encode(), digest_size=7).digest(), "little")


def _offset(generator: Any) -> int:
    state = generator.get_state()
    return int(state[8:].view(torch.int64)[0])


def _set_offset(generator: Any, offset: int) -> None:
    state = generator.get_state()
    state[8:].view(torch.int64)[0] = offset
    generator.set_state(state)


def _with_exchanged_state(operator: Any, generator: Any, args: Any, kwargs: Any) -> Any:
    """Run an operator that knows only torch's default generator, which lends its place."""
    of_cpu = torch.default_generator
    if generator is of_cpu:
        return operator(*args, **kwargs)
    with _lock:
        before = of_cpu.get_state()
        of_cpu.set_state(generator.get_state())
        try:
            return operator(*args, **kwargs)
        finally:
            of_cpu.set_state(before)
