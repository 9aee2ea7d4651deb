"""The exception that ends a process, as plain data."""

from __future__ import annotations

import sys
import threading
import traceback
from types import TracebackType
from typing import Any

from .record import Recorder

_LONGEST = 20_000
"""Characters of a message: it may hold the traceback of another process."""


def watch_failures(recorder: Recorder) -> None:
    """Note what ends the main program or a thread, and go on as without it."""
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
    return {
        "type": type(error).__name__,
        "text": str(error)[:_LONGEST],
        "frames": [*frames, *own] if not own else [*own, *frames],
    }
