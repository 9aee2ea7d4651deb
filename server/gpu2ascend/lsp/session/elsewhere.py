"""Processes that work for the server, each from its first work on, one piece after another."""

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

    @property
    def is_started(self) -> bool:
        """Whether there is a process to be asked."""
        return self._process is not None

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


class Crew:
    """A few processes for the same kind of work, so that what takes long on one document delays no other.

    Work on a document goes where that document was looked at last, if nothing is being done there. Belongs to
    the event loop's thread.
    """

    def __init__(self, size: int) -> None:
        self._members = [Elsewhere() for _ in range(size)]
        self._load = [0] * size
        self._last: list[str | None] = [None] * size

    async def run(self, about: str, work: Callable[[], _Result]) -> _Result:
        """The result of work about a document.

        Raises:
            DiedError: the process died, or none can be had. This work is lost, the next is not.
            Exception: what the work raised.
        """
        number = self._chosen(about)
        self._load[number] += 1
        self._last[number] = about
        try:
            return await self._members[number].run(work)
        finally:
            self._load[number] -= 1

    def close(self) -> None:
        """End the processes; what is being done is given up."""
        for member in self._members:
            member.close()

    def _chosen(self, about: str) -> int:
        def cost(number: int) -> tuple[int, bool, bool]:
            member = self._members[number]
            return self._load[number], self._last[number] != about, not member.is_started

        return min(range(len(self._members)), key=cost)


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
