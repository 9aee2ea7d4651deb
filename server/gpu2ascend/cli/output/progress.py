"""A progress bar of one line, which leaves nothing behind."""

from __future__ import annotations

import time
from types import TracebackType

from gpu2ascend_rules.messages.visible import visible

from .terminal import Terminal, display_width, shortened

_BAR = 24
_PAUSE = 0.05
"""Seconds between two drawings: more often is only slower."""


class ProgressBar:
    """Shows how far a job has come. On a stream that is no terminal it writes nothing."""

    def __init__(self, terminal: Terminal, label: str) -> None:
        self._terminal = terminal
        self._label = label
        self._shown = label
        self._drawn = 0.0
        self._visible = False

    def update(self, done: int, total: int | None, name: str = "", label: str | None = None) -> None:
        """Report that ``done`` of ``total`` parts are done, lately ``name``; the total may be unknown yet.

        ``label`` says what is done meanwhile, where that is something else than usual. It is shown at once.
        """
        label = label if label is not None else self._label
        now = time.monotonic()
        is_soon = now - self._drawn < _PAUSE and done != total and label == self._shown
        if not self._terminal.is_terminal or is_soon:
            return
        self._drawn, self._shown = now, label
        self._visible = True
        head = f"{label} {self._bar(done, total)} "
        count = f"{done}/{total} " if total is not None else f"{done} "
        taken = display_width(label) + _BAR + len(count) + 3
        room = max(0, self._terminal.width - taken)
        self._terminal.stream.write(f"\r\x1b[K{head}{count}{shortened(visible(name), room)}")
        self._terminal.stream.flush()

    def _bar(self, done: int, total: int | None) -> str:
        filled = min(_BAR, _BAR * done // total) if total else 0
        return self._terminal.style("#" * filled, "green") + "-" * (_BAR - filled)

    def close(self) -> None:
        """Take the bar away."""
        if self._visible:
            self._terminal.stream.write("\r\x1b[K")
            self._terminal.stream.flush()
            self._visible = False

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
