"""Apply a job to many tasks on several processes, in order, whatever happens to a process.

Not ``concurrent.futures``, which does not report which task a worker died on. The
first unanswered task of a dead worker is the suspect; it gets one more try, then the job gives it up. All
others go on. To stop early ends the processes at once.
"""

from __future__ import annotations

import faulthandler
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import attrs

from gpu2ascend_rules.limits.checkpoints import SECONDS_PER_FILE

from ..errors import CancelledError, ProjectError
from .interrupts import interrupts_deferred

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from .spawn import Process

_T = TypeVar("_T")
_R = TypeVar("_R")
_Task = TypeVar("_Task", contravariant=True)
_Result = TypeVar("_Result", covariant=True)

_QUEUE_LENGTH = 4
"""Tasks that a worker holds: it need not wait while the parent copies a large file."""
_WINDOW = 256
"""Results that may wait for an earlier one. Bounds the memory."""
_MAX_ATTEMPTS = 2
_POLL_SECONDS = 0.2
_READY = "ready"
STUCK_SECONDS = 6 * SECONDS_PER_FILE
"""Seconds of the wall clock after which a process is taken to hang: many times what a file may take."""


class WorkerJob(Protocol[_Task, _Result]):
    """What is done with each task. Goes to the workers by pickling, as tasks and results do."""

    def __call__(self, task: _Task, /) -> _Result:
        """Do it. Raises ProjectError: there is no point in going on."""

    def give_up(self, task: _Task, /) -> _Result:
        """The result for a task that ended the worker's process each time."""


@attrs.frozen
class Todo(Generic[_T]):
    """A task for the job."""

    task: _T


@attrs.frozen
class Ready(Generic[_R]):
    """A result that needs no work, in its place among the tasks."""

    result: _R


def never() -> bool:
    """Never cancelled."""
    return False


def ordered_map(
    job: WorkerJob[_T, _R],
    items: Iterable[Todo[_T] | Ready[_R]],
    workers: int,
    cancelled: Callable[[], bool] = never,
) -> Generator[_R, None, None]:
    """The results of all items, in their order. With one worker everything happens in this process.

    ``items`` is consumed no faster than the results allow. Close the iterator if you stop early.

    Raises:
        ProjectError: the job raised it, or ``cancelled`` became true.
    """
    if workers > 1:
        pool = _Pool(job, workers, cancelled)
        try:
            yield from pool.run(iter(items))
        finally:
            pool.close()
        return
    for item in items:
        if cancelled():
            raise CancelledError
        yield item.result if isinstance(item, Ready) else job(item.task)


class _Worker(Generic[_T]):
    """A process with the tasks that it has not answered yet."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.channel = process.channel
        self.is_ready = False
        self.tasks: deque[tuple[int, _T]] = deque()


class _Pool(Generic[_T, _R]):
    """The state of one :func:`ordered_map`. Items are known by their numbers."""

    def __init__(self, job: WorkerJob[_T, _R], size: int, cancelled: Callable[[], bool]) -> None:
        self._job = job
        self._cancelled = cancelled
        self._size = size
        self._workers: list[_Worker[_T]] = []
        self._can_start = True
        self._retries: deque[tuple[int, _T]] = deque()
        self._attempts: dict[int, int] = {}
        self._results: dict[int, _R] = {}
        self._fed = 0
        self._given = 0

    def run(self, items: Iterator[Todo[_T] | Ready[_R]]) -> Iterator[_R]:
        is_exhausted = False
        while not (is_exhausted and self._given == self._fed):
            if self._cancelled():
                raise CancelledError
            while self._given in self._results:
                yield self._results.pop(self._given)
                self._given += 1
            self._hand_out_retries()
            if not is_exhausted and self._fed - self._given < _WINDOW and self._takes_more():
                is_exhausted = not self._feed(items)
                self._collect(0)
            elif self._given < self._fed and self._given not in self._results:
                self._collect(_POLL_SECONDS)

    def close(self) -> None:
        """End the processes. They hold nothing worth waiting for."""
        with interrupts_deferred():
            for worker in self._workers:
                worker.process.kill()
            for worker in self._workers:
                worker.process.join()
                worker.channel.close()
            self._workers.clear()

    def _takes_more(self) -> bool:
        return not self._workers or any(len(worker.tasks) < _QUEUE_LENGTH for worker in self._workers)

    def _feed(self, items: Iterator[Todo[_T] | Ready[_R]]) -> bool:
        for item in items:
            number = self._fed
            self._fed += 1
            if isinstance(item, Ready):
                self._results[number] = item.result
            else:
                self._assign(number, item.task)
            return True
        return False

    def _hand_out_retries(self) -> None:
        """Also where the window is full: what the others wait for may be among them."""
        while self._retries and self._takes_more():
            self._assign(*self._retries.popleft())

    def _assign(self, number: int, task: _T) -> None:
        if self._can_start and len(self._workers) < self._size:
            self._start()
        if not self._workers:
            self._results[number] = self._job(task)  # no process can be had: do it here
            return
        worker = min(self._workers, key=lambda each: len(each.tasks))
        worker.tasks.append((number, task))
        with suppress(OSError):  # a dead worker is found when its answer is awaited
            worker.channel.send(task)

    def _start(self) -> None:
        from .spawn import start

        try:
            with interrupts_deferred():
                self._workers.append(_Worker(start(_serve, self._job)))
        except OSError:
            self._can_start = False

    def _collect(self, timeout: float) -> None:
        from multiprocessing import connection

        channels = {worker.channel: worker for worker in self._workers}
        for channel in connection.wait(list(channels), timeout):
            worker = channels[channel]  # type: ignore[index]
            try:
                answer = worker.channel.recv()
            except (EOFError, OSError):
                self._bury(worker)
                continue
            if not worker.is_ready:
                worker.is_ready = True
            elif isinstance(answer, ProjectError):
                raise answer
            else:
                self._results[worker.tasks.popleft()[0]] = answer

    def _bury(self, worker: _Worker[_T]) -> None:
        """Take a dead worker's tasks back; the first one may be why it died."""
        self._workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.channel.close()
        if not worker.is_ready:
            self._can_start = False  # processes do not even come up here
        elif worker.tasks:
            number, task = worker.tasks[0]
            self._attempts[number] = self._attempts.get(number, 0) + 1
            if self._attempts[number] >= _MAX_ATTEMPTS:
                worker.tasks.popleft()
                self._results[number] = self._job.give_up(task)
        self._retries.extend(worker.tasks)


def _serve(channel: Connection, job: WorkerJob[_T, _R]) -> None:
    """A worker process: answer tasks until the parent is gone.

    A thread takes the tasks, so that the parent never waits for a worker that waits for the parent: where
    tasks and answers are large, both write more than a pipe holds.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: SimpleQueue[Todo[_T] | None] = SimpleQueue()
    Thread(target=_receive, args=(channel, tasks), daemon=True).start()
    with suppress(OSError):
        channel.send(_READY)
        while (todo := tasks.get()) is not None:
            try:
                with ended_if_stuck():
                    answer: object = job(todo.task)
            except ProjectError as error:
                answer = error
            channel.send(answer)


def _receive(channel: Connection, tasks: SimpleQueue[Todo[_T] | None]) -> None:
    """Queue what the parent sends, and None at its end, or where something cannot be read: the process then
    ends, and the parent gives the rest to others."""
    try:
        with suppress(OSError, EOFError):
            while True:
                tasks.put(Todo(channel.recv()))
    finally:
        tasks.put(None)


@contextmanager
def ended_if_stuck() -> Iterator[None]:
    """Work in a separate process, which ends when the work hangs where no checkpoint is reached.

    The watch needs no interpreter lock, which a parser or a search for a pattern may hold for ever.
    """
    faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
