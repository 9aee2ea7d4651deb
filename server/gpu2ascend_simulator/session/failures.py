"""What ends a process, as plain data: an exception, or an exit with a code that says so."""

from __future__ import annotations

import functools
import sys
import threading
import traceback
from multiprocessing.process import BaseProcess
from types import FrameType, TracebackType
from typing import Any, NoReturn

from .asserted import compared
from .record import Recorder

_LONGEST = 20_000
"""Characters of a message: it may hold the traceback of another process."""


def watch_failures(recorder: Recorder) -> None:
    """Note what ends the main program, a thread or another process of it, and go on as without it."""
    _watch_exits(recorder)
    _watch_processes(recorder)
    shown = sys.excepthook
    shown_of_thread = threading.excepthook

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Any:
        recorder.note_failure(described(error, trace))
        shown(kind, error, trace)

    def note_of_thread(arguments: threading.ExceptHookArgs) -> Any:
        if arguments.exc_value is not None and arguments.exc_type is not SystemExit:
            recorder.note_failure(described(arguments.exc_value, arguments.exc_traceback))
        shown_of_thread(arguments)

    sys.excepthook = note
    threading.excepthook = note_of_thread


def _watch_processes(recorder: Recorder) -> None:
    """Note what ends a process of multiprocessing, which prints it itself, and whose parent may go on."""
    begin = BaseProcess._bootstrap  # type: ignore[attr-defined]

    @functools.wraps(begin)
    def bootstrap(self: Any, *args: Any, **kwargs: Any) -> Any:
        own = self.run

        def run() -> None:
            try:
                own()
            except Exception as error:
                recorder.note_failure(described(error, error.__traceback__))
                raise

        self.run = run
        return begin(self, *args, **kwargs)

    BaseProcess._bootstrap = bootstrap  # type: ignore[attr-defined]


def _watch_exits(recorder: Recorder) -> None:
    """Note an exit with an error, such as that of a parser of arguments; the last one of a process counts."""
    leave = sys.exit

    @functools.wraps(leave)
    def exit(status: Any = None, /) -> NoReturn:
        if status:
            recorder.note_exit(_of_exit(status, sys._getframe(1)))
        leave(status)

    sys.exit = exit


def _of_exit(status: Any, caller: FrameType) -> dict[str, Any]:
    """The exception that a program caught, printed and leaves for; else where it leaves, and what it says."""
    error = sys.exc_info()[1]
    if error is not None and not isinstance(error, SystemExit):
        return described(error, error.__traceback__)
    is_of_parser = caller.f_globals.get("__name__") == "argparse"
    said = caller.f_locals.get("message") if is_of_parser else status if isinstance(status, str) else None
    stack = [
        {"path": frame.filename, "line": frame.lineno or 0, "function": frame.name}
        for frame in traceback.extract_stack(caller)
    ]
    return {"type": "SystemExit", "text": str(said or f"exit code {status}")[:_LONGEST], "frames": stack}


def described(error: BaseException, trace: TracebackType | None) -> dict[str, Any]:
    """The class, the text and the frames of an exception, the innermost last.

    The frames of its cause come first: where an exception is raised from another, that is the deeper one.
    """
    frames = []
    if error.__cause__ is not None and error.__cause__ is not error:
        frames += described(error.__cause__, error.__cause__.__traceback__)["frames"]
    own = [
        {"path": frame.filename, "line": frame.lineno or 0, "function": frame.name}
        for frame in traceback.extract_tb(trace)
    ]
    if isinstance(error, SyntaxError) and error.filename:
        own.append({"path": error.filename, "line": error.lineno or 1, "function": ""})
    text = str(error) or (compared(trace) if isinstance(error, AssertionError) else "")
    return {
        "type": type(error).__name__,
        "text": text[:_LONGEST],
        "frames": [*frames, *own] if not own else [*own, *frames],
    }
