"""The device that a thread works on, and whether the process has used one."""

from __future__ import annotations

import os
import threading

from .visible import visible_devices

BAD_FORK = (
    "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the "
    "'spawn' start method"
)


class _Thread(threading.local):
    index = 0


class _Process:
    count: int | None = None
    """How many devices there are, from the first use of one on."""
    forked_after_use = False


_thread = _Thread()
_process = _Process()


def device_count() -> int:
    """How many devices the process may use. The environment is heeded until the first use of one."""
    return visible_devices() if _process.count is None else _process.count


def current_device() -> int:
    """The index of this thread's device."""
    return _thread.index


def is_initialized() -> bool:
    """Whether the process has used a device, and may."""
    return _process.count is not None and not _process.forked_after_use


def is_in_bad_fork() -> bool:
    """Whether the process was forked from one that had used a device."""
    return _process.forked_after_use


def use_device(index: int) -> None:
    """Declares the use of a device.

    Raises:
        RuntimeError: there is no such device, or the process was forked after the first use of one.
    """
    if _process.forked_after_use:
        raise RuntimeError(BAD_FORK)
    if _process.count is None:
        _process.count = visible_devices()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_after_fork)
    if not 0 <= index < _process.count:
        raise RuntimeError(f"Invalid device ID npu:{index}: there are {_process.count} devices.")


def _after_fork() -> None:
    _process.forked_after_use = True


def set_device(index: int) -> None:
    """Makes a device this thread's.

    Raises:
        RuntimeError: as for `use_device`.
    """
    use_device(index)
    _thread.index = index


def exchange_device(index: int) -> int:
    """Makes a device this thread's, unless the index is negative; the index of the one before."""
    previous = _thread.index
    if index >= 0 and index != previous:
        set_device(index)
    return previous
