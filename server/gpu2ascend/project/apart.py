"""A migration in a process of its own: for a program that goes on meanwhile, such as a language server.

The process does what the command line does, in its main thread, and is cancelled the way Ctrl-C cancels that:
at any moment, with nothing left behind. The end of the channel to it counts as a cancel: nothing is left
either when the program that started it is killed.
"""

from __future__ import annotations

import _thread
import atexit
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import attrs

from gpu2ascend_rules.finding import Message

from .errors import CancelledError, OutputError, ProjectError
from .interrupts import interrupts_blocked_for_children, interrupts_deferred
from .migrate import migrate
from .paths import shown
from .places import target_directory
from .result import FileOutcome, MigrationRequest, MigrationResult, Phase, Progress
from .workers import detach_streams

_PAUSE = 0.05
"""Seconds between two reports of progress."""
_CANCEL = "cancel"


class Migrated(NamedTuple):
    """A finished migration, with what became of the files that there is something to tell of."""

    result: MigrationResult
    files: tuple[FileOutcome, ...]


class Migrations:
    """The migrations that run. Two of them never write to the same place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[Path, MigrationProcess] = {}

    def run(self, process: MigrationProcess, progress: Callable[[Progress], None]) -> Migrated:
        """Run a migration to its end; ``progress`` is called in this thread.

        Raises:
            OutputError: one is writing to the same place.
            ProjectError: the migration is impossible, or was cancelled; nothing was written.
        """
        target = process.target
        with self._lock:
            if target in self._running:
                raise OutputError(Message.of("project.output-busy", path=shown(target)))
            self._running[target] = process
        try:
            return process.run(progress)
        finally:
            with self._lock:
                del self._running[target]

    def cancel_all(self) -> None:
        """Cancel whatever runs."""
        with self._lock:
            running = list(self._running.values())
        for process in running:
            process.cancel()


class MigrationProcess:
    """One migration. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: MigrationRequest) -> None:
        self.request = request
        self._lock = threading.Lock()
        self._channel: Connection | None = None
        self._is_cancelled = False

    @property
    def target(self) -> Path:
        """The directory that it makes.

        Raises:
            OutputError: links lead in a circle on the way to it.
        """
        return target_directory(self.request.input, self.request.output)

    def run(self, progress: Callable[[Progress], None]) -> Migrated:
        """Start the process and wait for it; ``progress`` is called in this thread.

        Raises:
            ProjectError: the migration is impossible, or was cancelled; nothing was written.
        """
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        # Not a daemon: those may have no processes of their own, and this one uses every core.
        process = context.Process(target=_serve, args=(theirs, self.request), name="gpu2ascend migrate")
        try:
            with interrupts_blocked_for_children():
                process.start()
        except OSError as error:
            ours.close()
            raise ProjectError(Message.of("project.migration-died", path=shown(self.target))) from error
        finally:
            theirs.close()
        # When this program ends, multiprocessing waits for its processes: they must end, too.
        atexit.register(self.cancel)
        try:
            self._open(ours)
            return self._receive(ours, progress)
        finally:
            with self._lock:
                self._channel = None
                ours.close()
            process.join()
            atexit.unregister(self.cancel)

    def cancel(self) -> None:
        """End the migration, wherever it is. When the output is there already, this comes too late."""
        with self._lock:
            self._is_cancelled = True
            if self._channel is not None:
                with suppress(OSError):
                    self._channel.send(_CANCEL)

    def _open(self, channel: Connection) -> None:
        with self._lock:
            self._channel = channel
            if self._is_cancelled:
                with suppress(OSError):
                    channel.send(_CANCEL)

    def _receive(self, channel: Connection, progress: Callable[[Progress], None]) -> Migrated:
        files: list[FileOutcome] = []
        while True:
            try:
                event = channel.recv()
            except (EOFError, OSError) as error:
                if self._is_cancelled:
                    raise CancelledError from error
                raise ProjectError(Message.of("project.migration-died", path=shown(self.target))) from error
            if isinstance(event, Progress):
                progress(event)
            elif isinstance(event, FileOutcome):
                files.append(event)
            elif isinstance(event, MigrationResult):
                return Migrated(event, tuple(files))
            elif isinstance(event, Message):
                raise ProjectError(event)
            else:
                raise CancelledError


# --- in the process -----------------------------------------------------------------------------------


def _serve(channel: Connection, request: MigrationRequest) -> None:
    detach_streams()
    run = _Run(channel)
    signal.signal(signal.SIGTERM, run.on_signal)
    threading.Thread(target=run.watch, daemon=True).start()
    answer: MigrationResult | Message | None
    try:
        answer = migrate(request, progress=run.on_progress, on_file=run.send)
    except (KeyboardInterrupt, BrokenPipeError):
        answer = None
    except ProjectError as error:
        answer = error.message
    except Exception as error:
        detail = shown(f"{type(error).__name__}: {error}"[:500])
        answer = Message.of("project.migration-defect", detail=detail)
    run.is_settled = True
    with suppress(OSError):
        channel.send(answer)


@attrs.define
class _Run:
    """What the process knows of its migration."""

    channel: Connection
    is_settled: bool = False
    """Whether a cancel comes too late."""
    reported: float = 0.0

    def on_progress(self, progress: Progress) -> None:
        if progress.phase is Phase.FINISH:
            self.is_settled = True
        now = time.monotonic()
        if self.is_settled or now - self.reported >= _PAUSE:
            self.reported = now
            self.send(progress)

    def send(self, event: Progress | FileOutcome) -> None:
        """Tell something, whole: half a message would spoil those that follow."""
        with interrupts_deferred():
            self.channel.send(event)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self.is_settled:
            raise KeyboardInterrupt

    def watch(self) -> None:
        """Interrupt the main thread as soon as somebody cancels, or is gone."""
        with suppress(EOFError, OSError):
            self.channel.recv()
        if hasattr(signal, "pthread_kill"):
            # Unlike interrupt_main, this ends a system call, such as the copying of a huge file.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        else:
            _thread.interrupt_main(signal.SIGTERM)
