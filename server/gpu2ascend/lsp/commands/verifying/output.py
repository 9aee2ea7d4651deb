"""What a run prints, sent to the client while it runs: lines together, and no more than it can take."""

from __future__ import annotations

import asyncio
import threading

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message

from ....texts.escaping import terminal_line
from ...server import Server

OUTPUT = "gpu2ascend/verifyOutput"
_TOGETHER = 0.05
"""Seconds in which lines are gathered for one notification."""
_MOST = 2_000
"""Lines of one notification; a client that is sent all that an endless loop prints has no memory left."""
_LONGEST = 10_000
"""Characters of a line."""


class Output:
    """The output of one run. Made in the event loop; lines come from any thread."""

    def __init__(self, server: Server, token: object, language: str) -> None:
        self._server = server
        self._token = token
        self._language = language
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._lines: list[str] = []
        self._left_out = 0
        self._is_waiting = False

    def line(self, text: str) -> None:
        """Send a line, as text that acts on no terminal."""
        with self._lock:
            if len(self._lines) >= _MOST:
                self._left_out += 1
                return
            self._lines.append(terminal_line(text[:_LONGEST]))
            if self._is_waiting:
                return
            self._is_waiting = True
        self._loop.call_soon_threadsafe(self._loop.call_later, _TOGETHER, self.flush)

    def flush(self) -> None:
        """Send what has come. In the event loop."""
        with self._lock:
            lines, left_out = self._lines, self._left_out
            self._lines, self._left_out, self._is_waiting = [], 0, False
        if left_out:
            lines.append(render(Message.of("lsp.verify.left-out", count=left_out), self._language))
        if lines:
            self._server.protocol.notify(OUTPUT, {"token": self._token, "lines": lines})
