"""The interface that a torch_npu made in Python is built on, where devices are mapped to the CPU.

It is that of ``gpu2ascend_simulator.device.library``, for a torch on which no device can be made.
"""

from __future__ import annotations

from typing import Any

import torch

from ..device import settings
from ..device.devices.current import (
    current_device,
    device_count,
    exchange_device,
    is_in_bad_fork,
    is_initialized,
    set_device,
    use_device,
)
from .answers import answer_for_accelerator
from .casting import cast_on_the_cpu
from .devices import map_devices
from .groups import communicate_by_gloo, forward_on_one
from .kinds import Kind

__all__ = [
    "configure",
    "current_device",
    "default_generator",
    "device_count",
    "empty_cache",
    "exchange_device",
    "finish",
    "is_in_bad_fork",
    "is_initialized",
    "memory_info",
    "memory_stats",
    "put_state",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device",
    "set_memory_fraction",
    "state_of",
    "use_device",
]

_done: list[Kind] = []


def configure(
    devices: int, memory_per_device: int, typed_out_of_memory: bool = True, devices_of_host: int = 0
) -> None:
    """Make the name ``npu`` known, and what casts; a second call only changes the settings."""
    current = settings.CURRENT
    current.devices, current.memory_per_device = devices, memory_per_device
    current.devices_of_host = devices_of_host
    if _done:
        return
    kind = Kind("npu", "hccl", devices)
    _done.append(kind)
    torch.utils.rename_privateuse1_backend(kind.device)
    cast_on_the_cpu(torch, kind)  # torch_npu derives its own classes from these


def finish() -> None:
    """Map the devices, once torch_npu has put its methods on torch's classes."""
    kind = _done[0]
    torch.Tensor.is_npu = property(lambda self: True)
    answer_for_accelerator(torch, kind)
    communicate_by_gloo(torch, kind)
    forward_on_one(torch)
    map_devices(torch, kind)


def default_generator(index: int) -> Any:
    """That of the CPU, for every device."""
    return torch.default_generator


def state_of(generator: Any) -> Any:
    """That of the CPU's generator."""
    return generator.get_state()


def put_state(generator: Any, state: Any) -> None:
    """Have the generator go on from a state."""
    generator.set_state(state)


def memory_stats(index: int) -> dict[str, int]:
    """Nothing is counted."""
    groups = ("allocated_bytes.all", "reserved_bytes.all", "active_bytes.all", "allocation.all")
    return {f"{group}.{what}": 0 for group in groups for what in ("current", "peak", "allocated", "freed")}


def memory_info(index: int) -> tuple[int, int]:
    """All of the memory is free."""
    return settings.CURRENT.memory_per_device, settings.CURRENT.memory_per_device


def empty_cache() -> None:
    """Nothing is kept."""


def reset_peak_memory_stats(index: int) -> None:
    """Nothing is counted."""


reset_accumulated_memory_stats = reset_peak_memory_stats


def set_memory_fraction(index: int, fraction: float) -> None:
    """Nothing is limited."""
