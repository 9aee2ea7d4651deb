"""The books of each device's memory: what is occupied, what was at most, what there is."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from dataclasses import dataclass

import torch

from ..settings import CURRENT as SETTINGS

UNIT = 512
SEGMENT = 2 << 20


@dataclass
class Ledger:
    """One device's numbers, in bytes where nothing else is said."""

    allocated: int = 0
    peak_allocated: int = 0
    reserved: int = 0
    peak_reserved: int = 0
    blocks: int = 0
    allocations: int = 0
    frees: int = 0
    out_of_memory: int = 0
    fraction: float = 1.0


_lock = threading.RLock()
_ledgers: defaultdict[int, Ledger] = defaultdict(Ledger)
_freed: deque[tuple[int, int]] = deque()
"""Blocks that are gone and not yet booked: a block may go at any time, also while the books are open."""


def rounded(size: int, unit: int = UNIT) -> int:
    """A number of bytes as the allocator deals them out."""
    return -(-size // unit) * unit


def charge(index: int, size: int) -> None:
    """Books a block of a device.

    Raises:
        RuntimeError: the device has not that much memory left.
    """
    with _lock:
        ledger = _settled(index)
        _check(ledger, index, size)
        ledger.allocated += size
        ledger.peak_allocated = max(ledger.peak_allocated, ledger.allocated)
        ledger.reserved = max(ledger.reserved, rounded(ledger.allocated, SEGMENT))
        ledger.peak_reserved = max(ledger.peak_reserved, ledger.reserved)
        ledger.blocks += 1
        ledger.allocations += 1


def discharge(index: int, size: int) -> None:
    """Books that a block is gone."""
    _freed.append((index, size))


def check(index: int, size: int) -> None:
    """Fails where so many bytes could not be booked, so that the host need not find them first.

    Raises:
        RuntimeError: as for `charge`.
    """
    with _lock:
        _check(_settled(index), index, rounded(size))


def _check(ledger: Ledger, index: int, size: int) -> None:
    if ledger.allocated + size <= int(SETTINGS.memory_per_device * ledger.fraction):
        return
    ledger.out_of_memory += 1
    text = (
        f"NPU out of memory. Tried to allocate {_mebibytes(size)} MiB (NPU {index}; "
        f"{_mebibytes(SETTINGS.memory_per_device)} MiB total capacity; "
        f"{_mebibytes(ledger.allocated)} MiB already allocated)"
    )
    raise torch.OutOfMemoryError(text) if SETTINGS.typed_out_of_memory else RuntimeError(text)


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.2f}"


def _settled(index: int) -> Ledger:
    while _freed:
        device, size = _freed.popleft()
        ledger = _ledgers[device]
        ledger.allocated -= size
        ledger.blocks -= 1
        ledger.frees += 1
    return _ledgers[index]


def statistics(index: int) -> dict[str, int]:
    """The numbers of a device under the names that torch's memory statistics have."""
    with _lock:
        ledger = _settled(index)
        return {
            "allocated_bytes.all.current": ledger.allocated,
            "allocated_bytes.all.peak": ledger.peak_allocated,
            "reserved_bytes.all.current": ledger.reserved,
            "reserved_bytes.all.peak": ledger.peak_reserved,
            "active_bytes.all.current": ledger.allocated,
            "active_bytes.all.peak": ledger.peak_allocated,
            "allocation.all.current": ledger.blocks,
            "allocation.all.allocated": ledger.allocations,
            "allocation.all.freed": ledger.frees,
            "num_alloc_retries": ledger.out_of_memory,
            "num_ooms": ledger.out_of_memory,
        }


def memory_info(index: int) -> tuple[int, int]:
    """Free and total bytes of a device."""
    with _lock:
        return SETTINGS.memory_per_device - _settled(index).reserved, SETTINGS.memory_per_device


def reset_peaks(index: int) -> None:
    """The peaks start from now."""
    with _lock:
        ledger = _settled(index)
        ledger.peak_allocated, ledger.peak_reserved = ledger.allocated, ledger.reserved


def reset_counts(index: int) -> None:
    """The counts start from now."""
    with _lock:
        ledger = _settled(index)
        ledger.allocations = ledger.frees = ledger.out_of_memory = 0


def empty_cache() -> None:
    """Gives up what the allocators hold and no tensor occupies."""
    with _lock:
        for index in tuple(_ledgers):
            ledger = _settled(index)
            ledger.reserved = rounded(ledger.allocated, SEGMENT)


def set_fraction(index: int, fraction: float) -> None:
    """Limits a device's memory to a part of it."""
    with _lock:
        _ledgers[index].fraction = fraction
