"""A request to end is answered like Ctrl-C: what was begun is cleaned up first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
"""``kill`` and a batch system's time limit; a terminal that is closed; Ctrl-Break on Windows."""


class TerminationRequest(KeyboardInterrupt):
    """This process was asked to end, by a signal other than that of Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


@contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Within the block, a signal that would end the process raises :class:`TerminationRequest`.

    A signal that is ignored or handled already, as by ``nohup``, stays so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, _raise)
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    raise TerminationRequest(number)
