"""The interface that a torch_npu made in Python is built on: plain functions, indices of devices."""

from __future__ import annotations

from .devices.current import (
    current_device,
    device_count,
    exchange_device,
    is_in_bad_fork,
    is_initialized,
    set_device,
    use_device,
)
from .installation import install as configure
from .memory.ledger import empty_cache, memory_info
from .memory.ledger import reset_counts as reset_accumulated_memory_stats
from .memory.ledger import reset_peaks as reset_peak_memory_stats
from .memory.ledger import set_fraction as set_memory_fraction
from .memory.ledger import statistics as memory_stats
from .memory.tensors import on_device, on_host
from .randomness.generators import default_generator
from .randomness.states import put_state, state_of

__all__ = [
    "configure",
    "current_device",
    "default_generator",
    "device_count",
    "empty_cache",
    "exchange_device",
    "is_in_bad_fork",
    "is_initialized",
    "memory_info",
    "memory_stats",
    "on_device",
    "on_host",
    "put_state",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device",
    "set_memory_fraction",
    "state_of",
    "use_device",
]
