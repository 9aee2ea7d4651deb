"""How the server ends without being asked to: by a signal, with its client, or with the pipe between them.

It holds nothing that must be saved. Its processes end with it by themselves (see
:mod:`gpu2ascend.project.processes.spawn`); those that write clean up first.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
import time
from typing import NoReturn

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
_POLL_SECONDS = 0.5
_PATIENCE_SECONDS = 0.8
_SYNCHRONIZE = 0x00100000
"""The access right that Windows asks for to wait for a process."""
_FOREVER = 0xFFFFFFFF


def end_by_signals() -> None:
    """Let the signals that ask a process to end do so at once, also those that the launcher had ignored.

    An exception would not be enough: the thread that reads standard input waits for a client that may say
    nothing more.
    """
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, signal.SIG_DFL)


def leave(code: int) -> NoReturn:
    """End the process now, whatever its threads are doing; what is half written is taken back first."""
    from ...project.processes.cancellable import end_all

    end_all(_PATIENCE_SECONDS)
    logging.shutdown()
    os._exit(code)


def end_with_process(process_id: int | None) -> None:
    """End the server soon after a process ends: its client's. One that cannot be seen is not waited for.

    A client in another container gives a number that means nothing here.
    """
    if process_id is not None and process_id > 0 and is_running(process_id):
        threading.Thread(target=_watch, args=(process_id,), daemon=True, name="client").start()


def is_running(process_id: int) -> bool:
    """Whether a process of this number exists."""
    if sys.platform == "win32":
        return _wait_on_windows(process_id, 0)
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError) as error:
        return isinstance(error, PermissionError)
    return True


def _watch(process_id: int) -> None:
    _wait_for(process_id)
    logging.getLogger("gpu2ascend").warning("the client's process has ended: %d", process_id)
    leave(1)


def _wait_for(process_id: int) -> None:
    """Return when the process has ended."""
    if sys.platform == "win32":
        _wait_on_windows(process_id, _FOREVER)
        return
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(process_id)
        except OSError:  # an old kernel, or a sandbox that refuses the call
            pass
        else:
            select.select([descriptor], [], [])
            return
    while is_running(process_id):
        time.sleep(_POLL_SECONDS)


def _wait_on_windows(process_id: int, milliseconds: int) -> bool:
    """Whether the process is there and goes on for at least so long."""
    if sys.platform != "win32":
        return False
    import ctypes

    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(_SYNCHRONIZE, False, process_id)
    if not handle:
        return False
    try:
        has_ended: bool = kernel.WaitForSingleObject(handle, milliseconds) == 0
    finally:
        kernel.CloseHandle(handle)
    return not has_ended
