"""Memory of the devices: numbers, limits, the cache."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .._extension import library
from .devices import checked_index_of

__all__ = [
    "empty_cache",
    "get_allocator_backend",
    "get_per_process_memory_fraction",
    "ipc_collect",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
]


def memory_stats(device: Any = None) -> Any:
    """Statistics under dotted names."""
    return OrderedDict(sorted(library.memory_stats(checked_index_of(device)).items()))


def memory_stats_as_nested_dict(device: Any = None) -> Any:
    """The same, nested by the parts of their names."""
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *path, last = name.split(".")
        place = nested
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return nested


def memory_allocated(device: Any = None) -> Any:
    """Bytes that tensors occupy now."""
    return memory_stats(device)["allocated_bytes.all.current"]


def max_memory_allocated(device: Any = None) -> Any:
    """Most bytes that tensors have occupied."""
    return memory_stats(device)["allocated_bytes.all.peak"]


def memory_reserved(device: Any = None) -> Any:
    """Bytes that the allocator holds now."""
    return memory_stats(device)["reserved_bytes.all.current"]


def max_memory_reserved(device: Any = None) -> Any:
    """Most bytes that the allocator has held."""
    return memory_stats(device)["reserved_bytes.all.peak"]


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def mem_get_info(device: Any = None) -> Any:
    """Free and total bytes."""
    return library.memory_info(checked_index_of(device))


def memory_summary(device: Any = None, abbreviated: bool = False) -> Any:
    """The statistics as a text for people."""
    lines = [f"NPU memory summary, device {checked_index_of(device)}"]
    lines += [f"{name:<32}{value:>16}" for name, value in memory_stats(device).items()]
    return "\n".join(lines[:5] if abbreviated else lines)


def empty_cache() -> None:
    """Gives up what the allocator holds and no tensor occupies."""
    library.empty_cache()


def reset_peak_memory_stats(device: Any = None) -> None:
    """The peaks start from now."""
    library.reset_peak_memory_stats(checked_index_of(device))


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """The counts start from now."""
    library.reset_accumulated_memory_stats(checked_index_of(device))


_fractions: dict[int, float] = {}


def set_per_process_memory_fraction(fraction: Any, device: Any = None) -> None:
    """No more than this part of the memory may be used."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    index = checked_index_of(device)
    _fractions[index] = fraction
    library.set_memory_fraction(index, fraction)


def get_per_process_memory_fraction(device: Any = None) -> Any:
    """What part of the memory may be used."""
    return _fractions.get(checked_index_of(device), 1.0)


def ipc_collect() -> None:
    """Frees what other processes no longer use: nothing is shared."""


def get_allocator_backend() -> Any:
    """The name of the allocator."""
    return "native"
