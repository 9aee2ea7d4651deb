"""Processes of this program, which is the only kind of process that it starts.

Each is isolated from the place where the program was started, from its first import on: ``python -I`` ignores
the current directory, the script's and every variable of Python's. Additions that it begins in this package's
directory, without these variables, and without the parent's streams, of which one may be a protocol. What it
may import from is what the parent may (``sys.path``, see ``isolation.py``). Not by ``multiprocessing``, whose
processes begin with ``python -c`` in the current directory, and load the parent's script again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from .interrupts import interrupts_blocked_for_children

_HERE = Path(__file__).parent
_SCRIPT = _HERE / "spawned.py"
_DIRECTORY = _HERE.parents[1]
"""This package's: nothing of a project is there."""


class Process:
    """A process, and this side's end of the channel to it. Made by :func:`start`."""

    def __init__(self, process: subprocess.Popen[bytes], channel: Connection, lifeline: Connection) -> None:
        self._process = process
        self._lifeline = lifeline
        """Ends with this process, however it ends: see :mod:`.spawned`."""
        self.channel = channel

    def kill(self) -> None:
        """End it at once; it may have ended already."""
        self._process.kill()

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end, or for so many seconds at most."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)
            self._lifeline.close()


def start(target: Callable[..., object], *arguments: object, cleans_up: bool = False) -> Process:
    """Start a process that calls ``target(channel, *arguments)``.

    The function and its arguments go there by pickling. A process that ends early ends its channel, and
    is no error of this function. It never receives the terminal's interrupt, but on Windows. When this
    process ends, by whatever signal, it ends at once; one that ``cleans_up`` watches its channel for that.

    Raises:
        OSError: no process can be had.
    """
    payload = ForkingPickler.dumps((target, arguments))
    ours, theirs = Pipe()
    end_of_child, lifeline = Pipe(duplex=False)
    handed = (theirs,) if cleans_up else (theirs, end_of_child)
    try:
        with interrupts_blocked_for_children():
            child = _start(handed, f"{target.__module__}.{target.__qualname__}")
            process = Process(child, ours, lifeline)
    except BaseException:
        ours.close()
        lifeline.close()
        raise
    finally:
        theirs.close()
        end_of_child.close()
    with suppress(OSError):  # it has ended already
        ours.send([entry for entry in sys.path if os.path.isabs(entry)])  # noqa: PTH117
        ours.send_bytes(payload)
    return process


def _start(channels: Sequence[Connection], name: str) -> subprocess.Popen[bytes]:
    """Start the script; the name is for those who look at a list of processes."""
    handles = [channel.fileno() for channel in channels]
    return subprocess.Popen(
        [sys.executable, *_flags(), str(_SCRIPT), *map(str, handles), name],
        cwd=_DIRECTORY,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **_handed_over(handles),
    )


def _flags() -> list[str]:
    """Isolated; for the rest as this process, also where a variable has made it so."""
    flags = ["-I", "-X", f"utf8={int(sys.flags.utf8_mode)}"]
    if sys.dont_write_bytecode:
        flags.append("-B")
    if sys.pycache_prefix is not None:
        flags += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return flags


def _environment() -> dict[str, str]:
    names = ("PYTHON", "__PYVENV")
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(names)}


def _handed_over(handles: list[int]) -> dict[str, Any]:
    """How a process gets these handles, and no other."""
    if sys.platform != "win32":
        return {"pass_fds": handles}
    for handle in handles:
        os.set_handle_inheritable(handle, True)
    return {"startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})}
