"""Streams of the device. Work is done when the call that asks for it returns, so they order nothing.

What is kept is the bookkeeping that a program can observe: handles, and which stream is current.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

import torch

from .current import current_device, exchange_device, use_device

_ids = itertools.count(1)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.stream_ids: dict[int, int] = {}


_thread = _Thread()


class Stream(torch.Stream):
    """`torch.Stream`, which can make streams of the device too."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A new stream of the device, or whatever torch makes of the arguments."""
        if "stream_id" in kwargs:
            return super().__new__(cls, **kwargs)
        device = args[0] if args else kwargs.get("device")
        device = torch.device("npu") if device is None else torch.device(device)
        if device.type != "npu":
            return super().__new__(cls, *args, **kwargs)
        index = current_device() if device.index is None else device.index
        use_device(index)
        return super().__new__(cls, stream_id=next(_ids), device_index=index, device_type=_KIND)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is left to do."""

    def query(self) -> bool:
        """Whether all work is done."""
        return True

    def synchronize(self) -> None:
        """Waits until all work is done."""

    def wait_event(self, event: Any) -> None:
        """Later work waits for an event."""

    def wait_stream(self, stream: Any) -> None:
        """Later work waits for the work of another stream."""

    def record_event(self, event: Any = None) -> Any:
        """An event behind the work so far."""
        event = torch.Event(device=self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Any:
        """Work goes to the stream, on its device."""
        before = exchange_device(self.device_index)
        _entered().append((before, current_stream(self.device_index)))
        set_stream(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Work goes where it went before."""
        device, stream = _entered().pop()
        set_stream(stream)
        exchange_device(device)


_KIND = 20
"""The number of PrivateUse1 among torch's kinds of devices."""


def _entered() -> list[tuple[int, Any]]:
    if not hasattr(_thread, "entered"):
        _thread.entered = []
    entered: list[tuple[int, Any]] = _thread.entered
    return entered


def current_stream(index: int | None = None) -> Any:
    """The stream that this thread's work on a device goes to."""
    device = current_device() if index is None or index < 0 else index
    return Stream(stream_id=_thread.stream_ids.get(device, 0), device_index=device, device_type=_KIND)


def set_stream(stream: Any) -> None:
    """This thread's work goes to a stream from now on; its device becomes the current one."""
    exchange_device(stream.device_index)
    _thread.stream_ids[stream.device_index] = stream.stream_id
