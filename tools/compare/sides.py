"""The two sides of a comparison: a commit and the working tree, each examined by processes of its own."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tools.archives import unpack

WORKER = Path("tools/compare/worker.py")
_PACKAGES = ("rules", "server")
_START = "import runpy, sys; sys.path[:0] = sys.argv[2:]; runpy.run_path(sys.argv[1], run_name='__main__')"
"""Runs a worker with its side's packages before those that are installed: ``worker package...``."""


class SideError(Exception):
    """A side cannot be had or died; the text says why."""


class Side(NamedTuple):
    """A checkout, and the worker that knows its modules."""

    root: Path
    worker: Path

    def command(self) -> list[str]:
        """Runs the worker."""
        packages = [str(self.root / name) for name in _PACKAGES]
        return [sys.executable, "-I", "-c", _START, str(self.worker), *packages]


def working_tree(root: Path) -> Side:
    """The files of a repository as they are, committed or not."""
    return Side(root, root / WORKER)


def checked_out(root: Path, commit: str, into: Path) -> Side:
    """A commit of the repository, unpacked into an empty folder.

    The worker of the working tree examines both sides, so that both are described alike. Only a commit whose
    modules it cannot import is examined by the worker that the commit itself has.

    Raises:
        SideError: there is no such commit, or no worker can import its modules.
    """
    paths = [name for name in (*_PACKAGES, WORKER.as_posix()) if _has(root, commit, name)]
    command = ["git", "archive", "--format=tar", commit, *paths]
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    if done.returncode or not paths:
        raise SideError(f"cannot check out {commit}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        unpack(archive, into)
    reasons = []
    for worker in (root / WORKER, into / WORKER):
        side = Side(into, worker)
        reason = _why_not(side) if worker.is_file() else f"{commit} has no {WORKER}"
        if reason is None:
            return side
        reasons.append(reason)
    raise SideError("\n".join([f"cannot examine with {commit}:", *reasons]))


def _has(root: Path, commit: str, name: str) -> bool:
    command = ["git", "cat-file", "-e", f"{commit}:{name}"]
    return subprocess.run(command, cwd=root, capture_output=True, check=False).returncode == 0


def _why_not(side: Side) -> str | None:
    """Why the worker of a side does not start; ``None`` if it does."""
    done = subprocess.run(side.command(), input="", capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2]


def answers(base: Side, head: Side, tasks: list[str]) -> Generator[tuple[str, str], None, None]:
    """What both sides answer to each task, in order; two processes work on them.

    Close the iterator if you stop early: it ends the processes.

    Raises:
        SideError: a process ended before its last answer.
    """
    with ExitStack() as stack:
        given = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "tasks"
        given.write_text("".join(f"{task}\n" for task in tasks), encoding="utf-8")
        started = [_Running(side, given, stack) for side in (base, head)]
        for _ in tasks:
            first, second = (running.answer() for running in started)
            yield first, second


class _Running:
    """A worker at work. What it says beside its answers is kept for when it dies."""

    def __init__(self, side: Side, tasks: Path, stack: ExitStack) -> None:
        self._side = side
        errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - the stack's
        self._errors = stack.enter_context(errors)
        given = stack.enter_context(tasks.open(encoding="utf-8"))
        self._process = stack.enter_context(
            subprocess.Popen(
                side.command(), stdin=given, stdout=subprocess.PIPE, stderr=self._errors, encoding="utf-8"
            )
        )
        stack.callback(self._process.kill)

    def answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise SideError(f"the worker of {self._side.root} died: {self._errors.read()[-2000:].strip()}")
        return line
