"""Programs that are waited for: an interpreter that is asked what it has, venv and pip.

They run in the directory of this package, without input and without variables of Python's.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

from ...project.errors import CancelledError
from .processes import kill_group

_DIRECTORY = Path(__file__).parents[2]
_LAST = 6
"""Lines of the output that an error quotes."""
_PAUSE = 0.1


class Hearing(NamedTuple):
    """Who follows a program."""

    heard: Callable[[str], None] = lambda line: None
    """Receives each line of its output, in another thread."""
    cancelled: Callable[[], bool] = lambda: False


class Done(NamedTuple):
    """A program that has ended."""

    code: int | None
    """None if it did not end in time, or could not be started."""
    text: str
    """Standard output and error."""

    @property
    def last_line(self) -> str:
        """The last line that is not empty."""
        return next((line for line in reversed(self.text.splitlines()) if line.strip()), "")

    @property
    def said(self) -> str:
        """Its errors as far as it marks them, else the end of what it printed."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")]
        return " ".join((errors or lines)[-_LAST:])


def run_to_end(
    command: Sequence[str],
    *,
    seconds: float,
    hearing: Hearing = Hearing(),  # noqa: B008 - a constant
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Done:
    """Run a program to its end, or kill it after so many seconds, with all that it has started.

    Args:
        variables: of its environment, beside the user's.

    Raises:
        CancelledError: it was cancelled; nothing is left running.
    """
    names = ("PYTHON", "__PYVENV", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if not name.upper().startswith(names)}
    try:
        process = subprocess.Popen(
            list(command),
            cwd=_DIRECTORY,
            env={**env, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Done(None, str(error))
    assert process.stdout is not None
    lines: list[str] = []
    reader = threading.Thread(target=_read, args=(process.stdout, lines, hearing.heard), daemon=True)
    reader.start()
    try:
        code = _code(process, time.monotonic() + seconds, hearing.cancelled)
    finally:
        if process.poll() is None:
            kill_group(process.pid)
            process.kill()
            process.wait()
        reader.join(_PAUSE * 20)
    return Done(code, "".join(lines))


def _code(process: subprocess.Popen[bytes], deadline: float, cancelled: Callable[[], bool]) -> int | None:
    while time.monotonic() < deadline:
        if cancelled():
            raise CancelledError()
        try:
            return process.wait(_PAUSE)
        except subprocess.TimeoutExpired:
            continue
    return None


def _read(stream: IO[bytes], lines: list[str], heard: Callable[[str], None]) -> None:
    with stream:
        for raw in stream:
            line = raw.decode("utf-8", "replace")
            lines.append(line)
            heard(line.rstrip("\r\n"))
