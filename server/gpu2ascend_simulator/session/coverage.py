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
        self._opened: dict[str, CodeType | None] = {}
        """Python files of the project that were opened, and may be run as a text, with their code."""
        self._texts: dict[CodeType, str] = {}
        """The code of such texts, by which its functions are known."""

    def start(self) -> None:
        """Note lines from now on, in every thread that begins later too."""
        sys.addaudithook(self._hear)
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

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Opened and executed: ``exec(open(path).read())`` runs a file whose code does not name it."""
        if event == "open":
            name = os.path.abspath(arguments[0]) if isinstance(arguments[0], str) else ""  # noqa: PTH100
            if name.endswith(".py") and self.path_in_project(name) and name not in self._opened:
                self._opened[name] = None
                self._opened[name] = _code_of(name)
        elif event == "exec" and arguments[0].co_filename.startswith("<"):
            for name in [name for name, code in self._opened.copy().items() if code == arguments[0]]:
                self._know(arguments[0], name)

    def _know(self, code: CodeType, name: str) -> None:
        self._texts[code] = name
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._know(constant, name)

    def _of(self, code: CodeType) -> set[int] | None:
        is_text = code.co_filename.startswith("<")
        path = self.path_in_project(self._texts.get(code, "<") if is_text else code.co_filename)
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


def _code_of(name: str) -> CodeType | None:
    try:
        with open(name, "rb") as file:  # noqa: PTH123
            code: CodeType = compile(file.read(), "<text>", "exec", dont_inherit=True)
            return code
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
