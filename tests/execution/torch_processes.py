"""Asks for processes that have torch loaded already: see ``torch_server.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.simulator.cann.wheels import emulated

SERVER = Path(__file__).parent / "torch_server.py"


class Process(NamedTuple):
    """What is different for each process."""

    environment: Mapping[str, str]
    stdout: Path
    stderr: Path


def run_with_torch(
    script: Path, *arguments: str, cwd: Path, processes: Sequence[Process], timeout: float
) -> tuple[int, ...]:
    """Run a script in several processes at a time; the exit codes.

    When one fails, or time is up, the others are killed.
    """
    request = {
        "script": str(script),
        "arguments": arguments,
        "cwd": str(cwd),
        "seconds": timeout,
        "processes": [
            {"environment": dict(item.environment), "stdout": str(item.stdout), "stderr": str(item.stderr)}
            for item in processes
        ],
    }
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    assert answer, f"{SERVER.name} has ended"
    return tuple(json.loads(answer)["codes"])


@cache
def _server() -> subprocess.Popen[str]:
    """The one of this process; it ends when its standard input does."""
    # What torch and Python look at when they are loaded; the rest each process has for itself.
    unwanted = ("CUDA_", "ASCEND_", "PYTHON", "PYTEST_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    env = {
        **inherited,
        **emulated(),
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.Popen(
        [sys.executable, str(SERVER)],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
