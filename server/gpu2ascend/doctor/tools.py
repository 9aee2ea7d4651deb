"""The programs of the system that the doctor asks, and the only place where it starts any.

Each is named by its absolute path, started without a shell, without input, in the top directory, and given up
after some seconds: ``npu-smi`` waits for ever where the driver hangs.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..project.paths import is_file

SECONDS = 15
"""That a program is waited for. ``npu-smi info`` takes up to six on a host with sixteen NPUs."""
_MAX_OUTPUT = 1_000_000
"""Bytes that are kept of what a program prints."""
_PLACES: Mapping[str, tuple[str, ...]] = {
    "npu-smi": ("/usr/local/bin/npu-smi", "/usr/local/sbin/npu-smi", "/usr/bin/npu-smi"),
    "hccn_tool": ("/usr/local/Ascend/driver/tools/hccn_tool", "/usr/local/bin/hccn_tool"),
    "systemctl": ("/usr/bin/systemctl", "/bin/systemctl"),
}
"""Where each program is installed. PATH is not asked: it may lead into a project."""


class Answer(NamedTuple):
    """What a program printed."""

    code: int | None
    """Its exit code; None if it did not end in time."""
    text: str
    """Standard output and error."""


def place_of(name: str) -> str | None:
    """The absolute path of a program, or None if it is not installed."""
    return next((place for place in _PLACES[name] if is_file(Path(place))), None)


def ask(name: str, *arguments: str) -> Answer | None:
    """Start a program and wait for what it prints; None if it is not there or cannot be started."""
    path = place_of(name)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            env={**os.environ, "LC_ALL": "C"},
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(None, "")
    except OSError:
        return None
    return Answer(done.returncode, done.stdout[:_MAX_OUTPUT].decode("utf-8", "replace"))
