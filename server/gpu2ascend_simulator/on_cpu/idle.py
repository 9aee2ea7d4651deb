"""Streams and events that have nothing to wait for."""

from __future__ import annotations

import contextlib
from typing import Any

__all__ = ["Event", "Stream", "StreamContext", "current_stream", "default_stream", "set_stream", "stream"]


class Stream:
    """A stream or an event: everything is done already."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.cuda_stream = self.npu_stream = self.stream_id = 0

    def record(self, *_: Any, **__: Any) -> Stream:
        """Itself: nothing is recorded."""
        return self

    def query(self) -> bool:
        """Everything is done already."""
        return True

    def is_capturing(self) -> bool:
        """No graph is captured."""
        return False

    def elapsed_time(self, other: Any) -> float:
        """No time."""
        return 0.0

    def synchronize(self, *_: Any) -> None:
        """There is nothing to wait for."""

    wait = wait_event = wait_stream = synchronize
    record_event = record


Event = Stream


def current_stream(*_: Any, **__: Any) -> Stream:
    """Some stream: there is nothing that differs between them."""
    return Stream()


default_stream = current_stream


def set_stream(*_: Any, **__: Any) -> None:
    """Nothing: work is done at once."""


def stream(*_: Any, **__: Any) -> Any:
    """A context in which nothing is different."""
    return contextlib.nullcontext()


StreamContext = stream
