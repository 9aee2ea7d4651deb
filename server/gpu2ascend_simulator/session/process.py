"""The ends of a verified process: done, given up, ended or left alone by the command, or by itself."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import multiprocessing.util
import os
import sys
import threading
import time
from pathlib import Path
from typing import IO, NoReturn

from .record import Recorder

STACKS = ".stacks"
"""The suffix of the file that the stacks of a process are written to."""
FINISH = "finish"
"""The file in the directory of the records with which the command ends every process."""
SIGNAL = ".signal"
"""The suffix of the file that is written where a signal ends a process."""
_BEFORE_DEADLINE = 1.0
"""Seconds that the stacks are written before the command ends the run."""
_PAUSE = 0.1


def watch_process(recorder: Recorder) -> None:
    """Write the stacks when time is up, end when the command wants it or has ended, note a regular end."""
    atexit.register(recorder.end)
    multiprocessing.util.register_after_fork(recorder, _write_at_the_end)
    threading.Thread(target=_end_with, args=(recorder,), name="gpu2ascend verify", daemon=True).start()


def watch_files(recorder: Recorder) -> None:
    """Note a file that a script reads from beside itself, though it was started in another folder."""
    exists, began = os.lstat, os.getcwd()  # noqa: PTH109

    def hear(event: str, given: tuple[object, ...]) -> None:
        if event != "open" or recorder.record.elsewhere or not isinstance(path := given[0], str):
            return
        if isinstance(flags := given[2], int) and flags & os.O_CREAT:  # it is made there
            return
        with contextlib.suppress(OSError, ValueError, TypeError, IndexError, AttributeError):
            folder = os.path.dirname(os.path.join(began, sys.argv[0]))  # noqa: PTH118, PTH120
            exists(os.path.join(folder, path))  # noqa: PTH118
            try:
                exists(path)
            except FileNotFoundError:
                recorder.record.elsewhere = path

    sys.addaudithook(hear)


def watch_signals(recorder: Recorder) -> None:
    """Have a signal such as a segmentation fault write where the process was."""
    path = recorder.path.with_suffix(SIGNAL)
    with contextlib.suppress(OSError):
        _Signals.file = path.open("w", encoding="utf-8")
        faulthandler.enable(_Signals.file)


class _Signals:
    """The open file, which must not be closed."""

    file: IO[str] | None = None


def wait_for_the_end(recorder: Recorder) -> NoReturn:
    """Note that the steps are done, and wait until the command ends all ranks together.

    A rank that went on, or ended, could make another one fail that has not come so far.
    """
    recorder.write()
    sys.stdout.flush()
    sys.stderr.flush()
    while True:
        time.sleep(60)


def _write_at_the_end(recorder: Recorder) -> None:
    """In a process of ``multiprocessing``, which leaves without the functions of ``atexit``."""
    multiprocessing.util.Finalize(None, recorder.end, exitpriority=0)


def _end_with(recorder: Recorder) -> None:
    settings = recorder.settings
    finish = Path(settings.records, FINISH)
    is_dumped = False
    while _is_alive(settings.supervisor):
        if not is_dumped and time.time() > settings.deadline - _BEFORE_DEADLINE:
            is_dumped = True
            _dump_stacks(recorder)
        if finish.exists():
            recorder.end()
            os._exit(0)
        time.sleep(_PAUSE)
    os._exit(1)


def _dump_stacks(recorder: Recorder) -> None:
    """Write where every thread is.

    Not by ``dump_traceback_later``: a forked process lacks its thread, and waits for it for ever.
    """
    path = recorder.path.with_suffix(STACKS)
    with path.open("w", encoding="utf-8") as file:
        faulthandler.dump_traceback(file)


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_alive_on_windows(process: int) -> bool:
    import ctypes

    synchronize, waiting = 0x00100000, 0x102
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(synchronize, False, process)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == waiting)
    finally:
        kernel.CloseHandle(handle)
