"""Which lines of the project ran: by ``sys.monitoring`` from Python 3.12 on, before by ``sys.settrace``.

Code of libraries costs one event a function at most (``sys.monitoring``), or one call a call (``settrace``).
"""

from __future__ import annotations

import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any

from .record import Record

_TOOL_NAME = "gpu2ascend verify"
_LIBRARIES = ("site-packages", "dist-packages")


class Coverage:
    """The executed lines below a directory."""

    def __init__(self, root: str) -> None:
        self._top = root.rstrip(os.sep) + os.sep
        self._relative: dict[str, str | None] = {}
        self._lines: dict[str, set[int]] = {}

    def start(self) -> None:
        """Note lines from now on, in every thread that begins later too."""
        if sys.version_info >= (3, 12) and self._monitor():
            return
        sys.settrace(self._trace_call)
        threading.settrace(self._trace_call)

    def collect(self, record: Record) -> None:
        """Put the lines into a record."""
        record.lines = {path: sorted(lines) for path, lines in self._lines.copy().items()}

    def forget(self) -> None:
        """Begin anew, in a process that was forked."""
        self._lines.clear()

    def path_in_project(self, filename: str) -> str | None:
        """The path of a file relative to the project, with ``/``; None of what is not the project's."""
        if filename not in self._relative:
            self._relative[filename] = self._resolve(filename)
        return self._relative[filename]

    def _resolve(self, filename: str) -> str | None:
        if filename.startswith("<"):
            return None
        real = os.path.realpath(filename)
        if not real.startswith(self._top):
            return None
        relative = real[len(self._top) :].replace(os.sep, "/")
        parts = relative.split("/")
        return None if any(name in parts for name in _LIBRARIES) else relative

    def _of(self, code: CodeType) -> set[int] | None:
        path = self.path_in_project(code.co_filename)
        return None if path is None else self._lines.setdefault(path, set())

    def _monitor(self) -> bool:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        tool = next((number for number in range(1, 6) if monitoring.get_tool(number) is None), None)
        if tool is None:
            return False
        monitoring.use_tool_id(tool, _TOOL_NAME)

        def begin(code: CodeType, offset: int) -> Any:
            if self._of(code) is not None:
                monitoring.set_local_events(tool, code, monitoring.events.LINE)
            return monitoring.DISABLE

        def line(code: CodeType, number: int) -> Any:
            lines = self._of(code)
            if lines is not None:
                lines.add(number)
            return monitoring.DISABLE

        monitoring.register_callback(tool, monitoring.events.PY_START, begin)
        monitoring.register_callback(tool, monitoring.events.LINE, line)
        monitoring.set_events(tool, monitoring.events.PY_START)
        return True

    def _trace_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        lines = self._of(frame.f_code)
        if lines is None:
            return None

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            return trace

        return trace
