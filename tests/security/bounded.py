"""Commands in a process that cannot keep the suite from ending: what would hang is killed, and fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SECONDS = 120
"""Only against what never ends: nothing here judges how long a command takes."""
_PROGRAM = "import sys; from gpu2ascend.__main__ import main; sys.exit(main())"


def command(*arguments: object, at: Path) -> subprocess.CompletedProcess[str]:
    """Run ``gpu2ascend`` in a directory. Raises subprocess.TimeoutExpired: it did not end."""
    return program(_PROGRAM, *arguments, at=at)


def program(source: str, *arguments: object, at: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in Python. Raises subprocess.TimeoutExpired: it did not end."""
    return subprocess.run(
        [sys.executable, "-I", "-c", source, *map(str, arguments)],
        cwd=at,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )
