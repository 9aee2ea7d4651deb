"""Limits to what one file may cost: how deep it may nest, and how long it may be worked on.

Both hold wherever a file is looked at. The walkers over a tree call :func:`checkpoint` at each step, and
who began the work decides what it asks: whether the file's time is over, or whether somebody still
wants the result. The time is the processor's, of one thread, so that a busy machine does not change a result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MEGABYTE = 1_000_000
DEFAULT_MEGABYTES = 50
"""The size beyond which a file is not read, unless the options say otherwise."""
SECONDS_PER_FILE = 10.0
"""Processor seconds after which a file is given up."""
MAX_NESTING = 500
"""Levels of the syntax tree below which nothing is looked at. To find a node or its parent takes time
proportional to its depth; some Pythons refuse to compile code that is a few times as deep."""
_STEPS_PER_LOOK = 32
"""Checkpoints of which one asks the clock, which costs more than most steps."""

clock: Callable[[], float] = time.thread_time
"""The seconds that this thread has worked."""

_asked: ContextVar[Callable[[], None] | None] = ContextVar("asked at each checkpoint", default=None)


class StoppedError(BaseException):
    """Work on a file ends before its result. No ``Exception``: no handler of mistakes may take it for one."""


class TimeLimitError(StoppedError):
    """The file has taken too long; it is given up."""


def checkpoint() -> None:
    """A step of work that may be one of very many. Raises StoppedError: the work is to end."""
    ask = _asked.get()
    if ask is not None:
        ask()


def long_step() -> None:
    """A step that may take as long as many: the clock is asked. Raises StoppedError: the work is to end."""
    ask = _asked.get()
    if ask is not None:
        for _ in range(_STEPS_PER_LOOK):
            ask()


def is_asked() -> bool:
    """Whether a checkpoint may end the work."""
    return _asked.get() is not None


@contextmanager
def asking(ask: Callable[[], None]) -> Iterator[None]:
    """Call ``ask`` at each checkpoint as well; what it raises ends the work."""
    outer = _asked.get()

    def both() -> None:
        if outer is not None:
            outer()
        ask()

    token = _asked.set(ask if outer is None else both)
    try:
        yield
    finally:
        _asked.reset(token)


@contextmanager
def time_limit(seconds: float = SECONDS_PER_FILE) -> Iterator[None]:
    """Work on one file, for a limited time. A limit within another has no effect: one file, one limit.
    Raises TimeLimitError: by a checkpoint, or at the end: a result that took too long does not count."""
    if _is_limited.get():
        yield
        return
    deadline = clock() + seconds
    steps = 0

    def look() -> None:
        if clock() > deadline:
            raise TimeLimitError

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps % _STEPS_PER_LOOK == 0:
            look()

    token = _is_limited.set(True)
    try:
        with asking(step):
            yield
        look()
    finally:
        _is_limited.reset(token)


_is_limited: ContextVar[bool] = ContextVar("whether a time limit holds", default=False)
