"""Events of the device: marks that are passed as soon as they are recorded."""

from __future__ import annotations

import itertools
import time
from typing import Any

import torch

_ids = itertools.count(1)


class Event(torch.Event):
    """`torch.Event`, which measures time on the device too."""

    def __new__(cls, device: Any = None, **kwargs: Any) -> Any:
        """An event of a device; of the NPU if none is given."""
        made = super().__new__(cls, "npu" if device is None else device, **kwargs)
        made._timed = bool(kwargs.get("enable_timing"))
        made._handle = next(_ids)
        made._recorded_at = None
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is left to do."""

    @property
    def event_id(self) -> int:
        """The handle of the event."""
        handle: int = self._handle
        return handle

    def record(self, stream: Any = None) -> None:
        """Marks the work so far of a stream."""
        self._recorded_at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Later work of a stream waits for the event."""

    def query(self) -> bool:
        """Whether the work has been done."""
        return True

    def synchronize(self) -> None:
        """Waits until the work has been done."""

    def elapsed_time(self, end_event: Any) -> float:
        """Milliseconds between two recorded events.

        Raises:
            RuntimeError: one measures no time or was not recorded.
        """
        if not (self._timed and end_event._timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._recorded_at is None or end_event._recorded_at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        milliseconds: float = (end_event._recorded_at - self._recorded_at) * 1000
        return milliseconds
