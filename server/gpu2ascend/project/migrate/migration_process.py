"""Migrations in separate processes, of which no two write to the same place."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message

from ..errors import OutputError, ProjectError
from ..files.places import target_directory
from ..paths import shown
from ..processes.cancellable import CancellableProcess, Reporter
from ..report.result import FileOutcome, MigrationRequest, MigrationResult, Phase, Progress
from .staging import remove_abandoned

_PAUSE = 0.05
"""Seconds between two reports of progress."""


class Migrated(NamedTuple):
    """A finished migration, with the outcome of the files that there is something to report of."""

    result: MigrationResult
    files: tuple[FileOutcome, ...]


class Migrations:
    """The migrations that run."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: dict[Path, MigrationProcess] = {}

    def run(self, process: MigrationProcess, progress: Callable[[Progress], None]) -> Migrated:
        """Run a migration to its end, after one to the same place that was cancelled has ended.

        ``progress`` is called in this thread.

        Raises:
            OutputError: one is writing to the same place.
            ProjectError: the migration is impossible, or was cancelled; nothing was written.
        """
        target = process.target
        with self._changed:
            while (other := self._running.get(target)) is not None:
                if not other.is_cancelled:
                    raise OutputError(Message.of("project.output-busy", path=shown(target)))
                self._changed.wait()
            self._running[target] = process
        try:
            return process.run(progress)
        finally:
            with self._changed:
                del self._running[target]
                self._changed.notify_all()

    def cancel_all(self) -> None:
        """Cancel whatever runs."""
        with self._changed:
            running = list(self._running.values())
        for process in running:
            process.cancel()


class MigrationProcess:
    """One migration. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: MigrationRequest) -> None:
        self.request = request
        self._process = CancellableProcess(_Migration(request))

    @property
    def target(self) -> Path:
        """The directory that it makes. Raises OutputError: links lead in a circle on the way to it."""
        return _target_of(self.request)

    def run(self, progress: Callable[[Progress], None]) -> Migrated:
        """Start the process and wait for it; ``progress`` is called in this thread.
        Raises ProjectError: the migration is impossible, or was cancelled; nothing was written."""
        files: list[FileOutcome] = []

        def on_event(event: Progress | FileOutcome) -> None:
            if isinstance(event, Progress):
                progress(event)
            else:
                files.append(event)

        try:
            result = self._process.run(on_event)
        except ProjectError:
            remove_abandoned(self.target)  # the process may have been killed
            raise
        return Migrated(result, tuple(files))

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled; it need not have ended yet."""
        return self._process.is_cancelled

    def cancel(self) -> None:
        """End the migration, wherever it is. When the output is there already, this comes too late."""
        self._process.cancel()


@attrs.frozen
class _Migration:
    """What the process does."""

    request: MigrationRequest

    def __call__(self, reporter: Reporter) -> MigrationResult:
        reported = 0.0

        def on_progress(progress: Progress) -> None:
            nonlocal reported
            is_last = progress.phase is Phase.FINISH
            if is_last:
                reporter.commit()
            now = time.monotonic()
            if is_last or now - reported >= _PAUSE:
                reported = now
                reporter.send(progress)

        from .migrate import migrate  # here, in the separate process: not while the server starts

        return migrate(self.request, progress=on_progress, on_file=reporter.send)

    def died(self) -> Message:
        return Message.of("project.migration-died", path=shown(_target_of(self.request)))


def _target_of(request: MigrationRequest) -> Path:
    options = request.options
    return target_directory(
        request.input, request.output, distributed=options.distributed, route=options.route
    )
