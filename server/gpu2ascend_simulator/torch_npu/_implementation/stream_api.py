"""Streams and events. Work is done at once, so they order nothing; they only behave."""

from __future__ import annotations

from typing import Any

import torch

from .devices import checked_index_of, index_of

__all__ = ["Event", "Stream", "StreamContext", "current_stream", "default_stream", "set_stream", "stream"]


class Stream(torch.Stream):
    """A queue of work."""

    def __new__(cls, device: Any = None, priority: int = 0, **kwargs: Any) -> Any:
        if "stream_id" in kwargs:
            return super().__new__(cls, **kwargs)
        made = super().__new__(cls, device=torch.device("npu", index_of(device)), priority=priority)
        made.priority = priority
        return made

    priority = 0

    @property
    def npu_stream(self) -> Any:
        """The handle of the queue."""
        return self.stream_id

    def wait_event(self, event: Any) -> None:
        """Later work waits for an event."""
        event.wait(self)

    def wait_stream(self, stream: Any) -> None:
        """Later work waits for the work of another stream."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Any = None) -> Any:
        """An event behind the work so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __repr__(self) -> Any:
        return f"<torch_npu.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


class Event:
    """A mark in a queue of work."""

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> None:
        self.enable_timing = enable_timing
        self.recorded = False
        # torch measures between events of its very own class only.
        self._of_torch = torch.Event(torch.device("npu"), enable_timing=enable_timing, blocking=blocking)

    @property
    def device(self) -> Any:
        """Where the event was recorded; None before that."""
        return self._of_torch.device if self.recorded else None

    @property
    def npu_event(self) -> Any:
        """The handle of the event."""
        return self._of_torch.event_id

    def record(self, stream: Any = None) -> None:
        """Marks the work so far of a stream."""
        self._of_torch.record(current_stream() if stream is None else stream)
        self.recorded = True

    def wait(self, stream: Any = None) -> None:
        """Later work of a stream waits for the event."""
        self._of_torch.wait(current_stream() if stream is None else stream)

    def query(self) -> Any:
        """Whether the work has been done."""
        return self._of_torch.query()

    def synchronize(self) -> None:
        """Waits until the work has been done."""
        self._of_torch.synchronize()

    def elapsed_time(self, end_event: Any) -> Any:
        """Milliseconds between two recorded events."""
        if not (self.enable_timing and end_event.enable_timing):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if not (self.recorded and end_event.recorded):
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return self._of_torch.elapsed_time(end_event._of_torch)

    def __repr__(self) -> Any:
        return f"<torch_npu.npu.Event {self.npu_event:#x}>"


def _as_stream(stream: Any) -> Any:
    return Stream(
        stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type
    )


def current_stream(device: Any = None) -> Any:
    """The stream that work of this thread goes to."""
    return _as_stream(torch.accelerator.current_stream(checked_index_of(device)))


def default_stream(device: Any = None) -> Any:
    """The stream that all work goes to by default."""
    kind = torch.accelerator.current_stream(0).device_type
    return Stream(stream_id=0, device_index=checked_index_of(device), device_type=kind)


def set_stream(stream: Any) -> None:
    """Work of this thread goes to a stream from now on."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


class StreamContext:
    """Context manager: work inside goes to a stream."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is None:
            return
        # Both: the device that was current, and the stream that was current on the stream's device.
        self.outer = torch.accelerator.current_stream()
        self.inner = torch.accelerator.current_stream(self.stream.device)
        set_stream(self.stream)

    def __exit__(self, *_: Any) -> None:
        if self.stream is not None:
            set_stream(self.inner)
            set_stream(self.outer)


def stream(stream: Any) -> Any:
    """Work inside goes to a stream."""
    return StreamContext(stream)
