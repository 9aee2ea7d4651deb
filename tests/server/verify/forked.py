"""Processes of a run that have torch loaded already, in place of those that a shell would start."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.execution.torch_processes import Process, run_with_torch

_LONGEST = 120.0
"""Seconds that end what hangs; they measure nothing."""


class ForkedProcesses:
    """What :class:`gpu2ascend.verify.running.processes.Processes` is, for commands that are a script."""

    def __init__(
        self,
        command: Sequence[str],
        environments: Sequence[Mapping[str, str]],
        directory: Path,
        heard: Callable[[int, str], None],
    ) -> None:
        logs = Path(environments[0]["GPU2ASCEND_VERIFY"]).parent
        self.errors: list[deque[str]] = [deque() for _ in environments]
        self._codes: tuple[int, ...] | None = None
        self._processes = [
            Process(environment, logs / f"stdout{number}", logs / f"stderr{number}")
            for number, environment in enumerate(environments)
        ]
        self._thread = threading.Thread(target=self._run, args=(command[1:], directory))
        self._thread.start()

    def _run(self, words: Sequence[str], directory: Path) -> None:
        script, *arguments = words
        codes = run_with_torch(
            directory / script, *arguments, cwd=directory, processes=self._processes, timeout=_LONGEST
        )
        for kept, process in zip(self.errors, self._processes, strict=True):
            kept.extend(process.stderr.read_text("utf-8", "replace").splitlines())
        self._codes = codes

    def codes(self) -> list[int | None]:
        """The exit codes; they are known when all have ended."""
        return list(self._codes) if self._codes is not None else [None] * len(self._processes)

    def end(self, others: Sequence[int]) -> None:
        """Wait for the end: the processes see for themselves that they are to finish."""
        self._thread.join()
