"""What `torch.accelerator` asks torch's C++ half, which knows one device and no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..devices import current, streams
from ..memory import ledger


def _nested(index: int) -> dict[str, Any]:
    """Memory statistics as torch's C++ half gives them: nested by the parts of their names."""
    nested: dict[str, Any] = {}
    for name, value in ledger.statistics(index).items():
        *path, last = name.split(".")
        place = nested
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return nested


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_accelerator_getDeviceIndex": current.current_device,
    "_accelerator_setDeviceIndex": current.set_device,
    "_accelerator_exchangeDevice": current.exchange_device,
    "_accelerator_maybeExchangeDevice": current.exchange_device,
    "_accelerator_getStream": streams.current_stream,
    "_accelerator_setStream": streams.set_stream,
    "_accelerator_synchronizeDevice": current.use_device,
    "_accelerator_isAllocatorInitialized": current.is_initialized,
    "_accelerator_emptyCache": ledger.empty_cache,
    "_accelerator_getDeviceStats": _nested,
    "_accelerator_resetAccumulatedStats": ledger.reset_counts,
    "_accelerator_resetPeakStats": ledger.reset_peaks,
    "_accelerator_getMemoryInfo": ledger.memory_info,
}


def install() -> None:
    """Changes the functions of `torch._C` that `torch.accelerator` calls."""
    for name, function in _FUNCTIONS.items():
        setattr(torch._C, name, function)
