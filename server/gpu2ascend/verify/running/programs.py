"""Programs that are waited for: an interpreter that is asked what it has, venv and pip.

They run in the directory of this package, without input and without variables of Python's.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_DIRECTORY = Path(__file__).parents[2]
_LAST = 6
"""Lines of the output that an error quotes."""


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


def run_to_end(command: Sequence[str], *, seconds: float) -> Done:
    """Run a program to its end, or kill it after so many seconds."""
    names = ("PYTHON", "__PYVENV", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if not name.upper().startswith(names)}
    try:
        done = subprocess.run(
            list(command),
            cwd=_DIRECTORY,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return Done(None, (error.output or b"").decode("utf-8", "replace"))
    except OSError as error:
        return Done(None, str(error))
    return Done(done.returncode, done.stdout.decode("utf-8", "replace"))
