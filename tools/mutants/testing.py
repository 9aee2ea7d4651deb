"""The tests of a copy of the checkout, in forks of one process, or, where that shows nothing, in new ones."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from .covering import EDITORS, EVERYTHING, TESTS
from .plan import Step
from .selection import STEP, TOLD, last_told
from .warm import IMPORT_CHANGES, PIPES, Request

_OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "tools.mutants.selection")


class Outcome(Exception):
    """Something was noticed: a test failed, or never ended, or the tests cannot even be collected."""

    def __init__(self, test: str | None, ended: bool) -> None:
        super().__init__(test)
        self.test = test
        self.ended = ended
        """Whether the process ended by itself."""


class Bench:
    """Runs tests in a copy of the checkout, which is the current directory."""

    def __init__(self, python: Path, scratch: Path) -> None:
        self._python = python
        self._scratch = scratch
        self._told = scratch / "told"
        self._warm: subprocess.Popen[bytes] | None = None
        self._requests: IO[str]
        self._answers: IO[str]
        scratch.mkdir(exist_ok=True)

    def collect(self) -> None:
        """See to it that there is a process that has collected all tests, of the files as they are now."""
        if hasattr(os, "fork") and (self._warm is None or self._warm.poll() is not None):
            self._start()
            self._answers.readline()

    def run_in_fork(self, steps: Sequence[Step], path: str, old: str, new: str) -> bool:
        """Run steps in a fork of the process that has collected the tests; False if only new ones will do.
        Raises Outcome: a test noticed."""
        if self._warm is None:
            return False
        self._told.unlink(missing_ok=True)
        request = Request(
            [(step.files, step.listed, step.marks) for step in steps], str(self._told), path, old, new
        )
        self._requests.write(f"{json.dumps(request)}\n")
        self._requests.flush()
        answer = self._answers.readline()
        if not answer:
            raise RuntimeError("the process that has collected the tests has ended")
        code = int(answer)
        if code == IMPORT_CHANGES:
            return False
        self._judge(code)
        return True

    def run_anew(self, steps: Sequence[Step]) -> None:
        """Run each step in a process of its own, which imports what is in the files.
        Raises Outcome: a test noticed, or the tests cannot be collected."""
        for step in steps:
            self._told.unlink(missing_ok=True)
            listed = self._scratch / "step.json"
            listed.write_text(json.dumps(step.listed), encoding="utf-8")
            environment = {**os.environ, STEP: str(listed), TOLD: str(self._told)}
            self._judge(self._pytest([*_OPTIONS, "-m", step.marks, *step.files], environment))

    def can_collect(self, files: Sequence[str]) -> bool:
        """Whether files with tests can be collected."""
        return self._pytest(["--collect-only", "-q", "-p", "no:cacheprovider", *files], dict(os.environ)) == 0

    def close(self) -> None:
        """End the process that has collected the tests."""
        if self._warm is not None:
            self._requests.close()
            self._warm.wait()
            self._answers.close()
            self._warm = None

    def _judge(self, code: int) -> None:
        if code:
            began, failed = last_told(self._told)
            raise Outcome(failed or began, ended=code >= 0)

    def _pytest(self, options: Sequence[str], environment: dict[str, str]) -> int:
        """The exit code of pytest; what its tests have started ends with it."""
        process = subprocess.Popen(
            [str(self._python), "-m", "pytest", f"--basetemp={self._scratch / 'tests'}", *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        code = process.wait()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        return code

    def _start(self) -> None:
        (requests, self_writes), (self_reads, answers) = os.pipe(), os.pipe()
        options = [*_OPTIONS, "-p", "tools.mutants.warm", "-m", EVERYTHING]
        folders = dict.fromkeys([*(folder for half in TESTS.values() for folder in half), EDITORS])
        self._warm = subprocess.Popen(
            [
                str(self._python),
                "-m",
                "pytest",
                f"--basetemp={self._scratch / 'forks'}",
                *options,
                *(folder for folder in folders if Path(folder).is_dir()),
            ],
            env={**os.environ, PIPES: f"{requests},{answers}"},
            pass_fds=(requests, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(requests)
        os.close(answers)
        self._requests = os.fdopen(self_writes, "w", encoding="utf-8")
        self._answers = os.fdopen(self_reads, encoding="utf-8")
