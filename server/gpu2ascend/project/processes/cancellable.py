"""Work in a separate process that can be cancelled: for a program that goes on meanwhile, such as a server.

The process does its work in its main thread, and is cancelled the way Ctrl-C cancels the command line: at any
moment, with nothing left behind. The end of its channel counts as a cancel: nothing is left either when the
program that started it is killed.
"""

from __future__ import annotations

import _thread
import atexit
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, Generic, NamedTuple, NoReturn, Protocol, TypeVar

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..errors import CancelledError, ProjectError
from ..paths import shown
from .interrupts import interrupts_deferred
from .spawn import Process, start

_Result = TypeVar("_Result")
_Result_co = TypeVar("_Result_co", covariant=True)

_CANCEL = "cancel"
GRACE_SECONDS = 30.0
"""Seconds that cancelled work has for its clean-up. A process that still runs then is killed."""


class Reporter(Protocol):
    """The channel from the work to the program that started it."""

    def send(self, event: object) -> None:
        """Send an event, pickled."""

    def commit(self) -> None:
        """Ignore every later request to cancel. After one it raises ``KeyboardInterrupt``, as `send`."""


class Work(Protocol[_Result_co]):
    """What a process does; it is pickled on its way there."""

    def __call__(self, reporter: Reporter, /) -> _Result_co:
        """Do it. Raises ProjectError: it cannot be done."""

    def died(self) -> Message:
        """The message for a process that ended without a result."""


@attrs.frozen(kw_only=True)
class FolderWork:
    """What is to be done with a project, as a front end asks for it."""

    root: Path
    options: MigrationOptions

    def died(self) -> Message:
        """The message for a process that ended without a result."""
        return Message.of("project.analysis-died", path=shown(self.root))


class _Event(NamedTuple):
    content: object


class _Committed(NamedTuple):
    """From here on a cancel comes too late."""


class _Done(NamedTuple):
    result: object


class _Refused(NamedTuple):
    message: Message


class _Cancelled(NamedTuple):
    pass


class CancellableProcess(Generic[_Result]):
    """One piece of work. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, work: Work[_Result], grace: float = GRACE_SECONDS) -> None:
        """
        Args:
            grace: Seconds that it has for its clean-up when it is cancelled.
        """
        self._work = work
        self._grace = grace
        self._lock = threading.Lock()
        self._process: Process | None = None
        """While it can be cancelled."""
        self._overdue: threading.Timer | None = None
        self.is_cancelled = False
        """Whether it was cancelled; it need not have ended yet."""

    def run(self, on_event: Callable[[Any], None] = lambda event: None) -> _Result:
        """Start the process and wait for it; ``on_event`` gets what it reports, in this thread.
        Raises ProjectError: the work cannot be done, or was cancelled."""
        try:
            process = start(_serve, self._work, cleans_up=True)
        except OSError as error:
            raise ProjectError(self._work.died()) from error
        ours = process.channel
        # A program that ends waits for its threads, and so for what this one waits for: it must end, too.
        atexit.register(self.cancel)
        _running[self] = process
        try:
            self._open(process)
            return self._receive(ours, on_event)
        finally:
            self._close()
            ours.close()
            process.join(self._grace)
            process.kill()  # no effect on one that has ended
            process.join()
            _running.pop(self, None)
            atexit.unregister(self.cancel)

    def cancel(self) -> None:
        """End the work, wherever it is; after :meth:`Reporter.commit` this has no effect."""
        with self._lock:
            self.is_cancelled = True
            self._end()

    def _open(self, process: Process) -> None:
        with self._lock:
            self._process = process
            if self.is_cancelled:
                self._end()

    def _end(self) -> None:
        """Ask the process to end, and see to it that it does, also where it hangs."""
        if self._process is None:
            return
        with suppress(OSError):
            self._process.channel.send(_CANCEL)
        if self._overdue is None:
            self._overdue = threading.Timer(self._grace, self._process.kill)
            self._overdue.daemon = True
            self._overdue.start()

    def _close(self) -> None:
        """It can be cancelled no more."""
        with self._lock:
            self._process = None
            if self._overdue is not None:
                self._overdue.cancel()

    def _receive(self, channel: Connection, on_event: Callable[[Any], None]) -> _Result:
        while True:
            try:
                event = channel.recv()
            except (EOFError, OSError) as error:
                if self.is_cancelled:
                    raise CancelledError from error
                raise ProjectError(self._work.died()) from error
            if isinstance(event, _Event):
                on_event(event.content)
            elif isinstance(event, _Committed):
                self._close()
            elif isinstance(event, _Done):
                result: _Result = event.result  # type: ignore[assignment]
                return result
            elif isinstance(event, _Refused):
                raise ProjectError(event.message)
            else:
                raise CancelledError


_running: dict[CancellableProcess[Any], Process] = {}


def end_all(seconds: float) -> None:
    """Cancel all such work of this program and wait for its end, though no longer than so many seconds."""
    running = tuple(_running.items())
    for work, _ in running:
        work.cancel()
    deadline = time.monotonic() + seconds
    for _, process in running:
        process.join(max(0.0, deadline - time.monotonic()))


# --- in the process -----------------------------------------------------------------------------------


def _serve(channel: Connection, work: Work[object]) -> None:
    reporter = _Reporter(channel)
    signal.signal(signal.SIGTERM, reporter.on_signal)
    threading.Thread(target=reporter.watch, daemon=True).start()
    answer: _Done | _Refused | _Cancelled
    try:
        answer = _Done(work(reporter))
    except (KeyboardInterrupt, BrokenPipeError):
        answer = _Cancelled()
    except ProjectError as error:
        answer = _Refused(error.message)
    except Exception as error:
        detail = shown(f"{type(error).__name__}: {error}"[:500])
        answer = _Refused(Message.of("project.work-defect", detail=detail))
    reporter.is_committed = True
    with suppress(OSError):
        channel.send(answer)


@attrs.define
class _Reporter:
    """The process's end of the channel."""

    channel: Connection
    is_committed: bool = False
    is_cancelled: bool = False
    _is_interrupted: bool = False

    def commit(self) -> None:
        self._end_if_cancelled()
        self.is_committed = True
        with suppress(OSError):
            self.channel.send(_Committed())

    def send(self, event: object) -> None:
        self._end_if_cancelled()
        with interrupts_deferred():  # half a message would spoil those that follow
            self.channel.send(_Event(event))

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self.is_committed and not self._is_interrupted:
            self._interrupt()

    def _end_if_cancelled(self) -> None:
        """The exception of a signal is lost where Python cannot pass it on, such as in a finalizer."""
        if self.is_cancelled and not self.is_committed:
            self._interrupt()

    def _interrupt(self) -> NoReturn:
        self._is_interrupted = True
        raise KeyboardInterrupt

    def watch(self) -> None:
        """Interrupt the main thread as soon as the parent cancels, or is gone."""
        with suppress(EOFError, OSError):
            self.channel.recv()
        self.is_cancelled = True
        if hasattr(signal, "pthread_kill"):
            # Unlike interrupt_main, this ends a system call, such as the copying of a huge file.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        else:
            _thread.interrupt_main(signal.SIGTERM)
