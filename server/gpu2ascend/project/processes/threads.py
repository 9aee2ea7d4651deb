"""Waiting for what blocks, without blocking the event loop or the end of the program."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_Result = TypeVar("_Result")


async def in_thread(work: Callable[[], _Result]) -> _Result:
    """The result of ``work``, which runs in a separate thread."""
    return await asyncio.wrap_future(started(work))


def started(work: Callable[[], _Result]) -> Future[_Result]:
    """What will be the result of ``work``, which runs in a separate thread from now on.

    The thread is a daemon: the pools of the standard library are waited for when the program ends, and a
    thread that waits for a process would keep it from ending.
    """
    future: Future[_Result] = Future()
    future.set_running_or_notify_cancel()  # it cannot be taken back

    threading.Thread(target=_settle, args=(future, work), daemon=True).start()
    return future


def _settle(future: Future[_Result], work: Callable[[], _Result]) -> None:
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


class Lane:
    """A thread that does one piece of work after another, until it is closed or the program ends.

    A daemon, unlike those of the pools of the standard library: see :func:`started`.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._waiting: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._is_started = False

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """The result of ``work``, after what was asked for before. What has not begun can be cancelled."""
        future: Future[_Result] = Future()

        def do() -> None:
            if future.set_running_or_notify_cancel():
                _settle(future, work)

        self._waiting.put(do)
        if not self._is_started:
            self._is_started = True
            threading.Thread(target=self._serve, daemon=True, name=self._name).start()
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """End the thread when it has done what was asked for."""
        self._waiting.put(None)

    def _serve(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()
