"""Ctrl-C at the right moment: steps that must not be cut in two, and children that must not hear it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

_INTERRUPTS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""Those that a front end may answer with an exception; one that it does not handle is not touched."""


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Holds Ctrl-C and requests to end back until the block is done, then lets them act as they would have.

    For steps such as "make a directory and remember it", or a clean-up, which a second Ctrl-C must not
    end half-way. Signals reach the main thread only; elsewhere there is nothing to hold back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with ExitStack() as stack:
        for number in _INTERRUPTS:
            stack.enter_context(_deferred(number))
        yield


@contextmanager
def _deferred(number: int) -> Iterator[None]:
    handler = signal.getsignal(number)
    if not callable(handler):
        yield
        return
    arrived: list[tuple[int, FrameType | None]] = []
    signal.signal(number, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(number, handler)
        if arrived:
            handler(*arrived[0])


@contextmanager
def interrupts_blocked_for_children() -> Iterator[None]:
    """Processes started in the block never receive the terminal's interrupt.

    The terminal sends it to every process in the foreground. A child that is still starting would print
    a traceback; its parent ends it anyway. The blocked mask is inherited, so there is no such moment.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
