"""A process that does one piece of work after another for the server, from its first work on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NamedTuple, TypeVar

from ...project.processes.spawn import Process, start

_Result = TypeVar("_Result")


class DiedError(Exception):
    """The process ended before it had done the work."""


class _Answer(NamedTuple):
    result: object = None
    error: Exception | None = None


class Elsewhere:
    """The process. After its end another one is started by the next work."""

    def __init__(self, begin: Callable[[], object] | None = None) -> None:
        """``begin`` is what the process does first; it goes there by pickling, as all work does."""
        self._begin = begin
        self._process: Process | None = None
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="elsewhere")
        """Waits for the answers; its queue is that of the process."""

    async def run(self, work: Callable[[], _Result]) -> _Result:
        """The result of the work, after what was asked for before.

        Raises:
            DiedError: the process died, or none can be had. This work is lost, the next is not.
            Exception: what the work raised.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._result, work)

    def close(self) -> None:
        """End the process; what is being done is given up."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()  # a thread that waits for its answer hears of it, and tidies up
                self._process.join()

    def _result(self, work: Callable[[], _Result]) -> _Result:
        try:
            channel = self._started().channel
            channel.send(work)
            answer: _Answer = channel.recv()
        except (EOFError, OSError) as error:
            self._bury()
            raise DiedError from error
        if answer.error is not None:
            raise answer.error
        result: _Result = answer.result  # type: ignore[assignment]
        return result

    def _started(self) -> Process:
        with self._lock:
            if self._is_closed:
                raise EOFError
            if self._process is None:
                self._process = start(_serve, self._begin)
            return self._process

    def _bury(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join()
                self._process.channel.close()
                self._process = None


def _serve(channel: Connection, begin: Callable[[], object] | None) -> None:
    """The process: do what is asked until the server is gone."""
    if begin is not None:
        begin()
    with suppress(EOFError, OSError):
        while True:
            work: Callable[[], object] = channel.recv()
            channel.send(_answer(work))


def _answer(work: Callable[[], object]) -> _Answer:
    try:
        return _Answer(work())
    except Exception as error:  # it is the asker's, as if the work had been done there
        return _Answer(error=error)
