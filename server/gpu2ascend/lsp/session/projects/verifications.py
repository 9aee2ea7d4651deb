"""The runs on a simulated NPU that go on: at most one of each project, and none after the session."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gpu2ascend_rules.model.finding import Message

from ....project.errors import ProjectError
from ....project.paths import shown

_Result = TypeVar("_Result")
_LEAVING = 3.0
"""Seconds in which runs end their processes at the end of the session."""


class Verification:
    """One run. :meth:`cancel` may be called by any thread."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """End it soon, with its processes."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Whether it is to end."""
        return self._cancelled.is_set()


class Verifications:
    """Those that go on."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: dict[Path, Verification] = {}

    def run(self, verification: Verification, work: Callable[[], _Result]) -> _Result:
        """The result of the work, in this thread, unless the project is running already.
        Raises ProjectError: it is."""
        project = verification.project
        with self._changed:
            if project in self._running:
                raise ProjectError(Message.of("lsp.verify.busy", path=shown(project)))
            self._running[project] = verification
        try:
            return work()
        finally:
            with self._changed:
                del self._running[project]
                self._changed.notify_all()

    def end_all(self) -> None:
        """Cancel whatever runs, and wait a moment until its processes have ended."""
        until = time.monotonic() + _LEAVING
        with self._changed:
            for verification in self._running.values():
                verification.cancel()
            while self._running and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
