"""The processes of a run: started apart from the terminal, heard line by line, ended with all below."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

Heard = Callable[[int, str], None]
"""Receives each line that a process prints, with the process's place in the list."""
_KEPT = 400
"""Lines of the errors of each process that are kept."""


class Processes:
    """The processes that this command started itself. A launcher among them starts others."""

    def __init__(
        self, command: Sequence[str], environments: Sequence[Mapping[str, str]], directory: Path, heard: Heard
    ) -> None:
        """Start one process for each environment.
        Raises OSError: one cannot be started; none is left running."""
        self.errors: list[deque[str]] = [deque(maxlen=_KEPT) for _ in environments]
        self._started: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        try:
            for number, environment in enumerate(environments):
                process = _start(command, environment, directory)
                self._started.append(process)
                self._listen(number, process, heard)
        except BaseException:
            self.end(())
            raise

    def codes(self) -> list[int | None]:
        """The exit code of each; None while it runs."""
        return [process.poll() for process in self._started]

    def end(self, others: Sequence[int]) -> None:
        """Kill them with all processes of their groups, and others that they started apart."""
        for process in self._started:
            kill_group(process.pid)  # its number is that of the group, also when it has ended itself
            with suppress(OSError):
                process.kill()
        for number in others:
            if _leads_group(number):
                kill_group(number)
            with suppress(OSError):
                os.kill(number, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        for process in self._started:
            process.wait()
        for thread in self._threads:
            thread.join(2)

    def _listen(self, number: int, process: subprocess.Popen[bytes], heard: Heard) -> None:
        assert process.stdout is not None and process.stderr is not None
        kept = self.errors[number]
        for stream, keep in ((process.stdout, None), (process.stderr, kept)):
            thread = threading.Thread(target=_read, args=(stream, number, heard, keep), daemon=True)
            thread.start()
            self._threads.append(thread)


def _start(
    command: Sequence[str], environment: Mapping[str, str], directory: Path
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        cwd=directory,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _read(stream: IO[bytes], number: int, heard: Heard, kept: deque[str] | None) -> None:
    with stream:
        for raw in stream:
            for line in raw.decode("utf-8", "replace").replace("\r", "\n").splitlines():
                if kept is not None:
                    kept.append(line)
                heard(number, line)


def kill_group(process: int) -> None:
    """Kill the group of a number; on Windows, the tree of the process."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process)]
        subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parent)
        return
    with suppress(OSError):
        os.killpg(process, signal.SIGKILL)


def _leads_group(process: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        return os.getpgid(process) == process
    except OSError:
        return False
