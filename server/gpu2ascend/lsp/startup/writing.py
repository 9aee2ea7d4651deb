"""Messages onto a stream, in a thread: a client that does not read must not keep the server from reading.

A client may write from the thread that reads. Once both pipes are full, each end would wait for the other
for ever if the server wrote its answers where it reads. So answers wait in memory, within a limit.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import BinaryIO

from .ending import leave

MAX_WAITING_BYTES = 256 * 2**20
"""What may wait besides the largest message, which may be a report on a whole workspace."""
_PATIENCE_SECONDS = 5.0
_PAUSE_SECONDS = 0.01
_CHUNK_BYTES = 65_536
_UNREAD_CODE = 2


class MessageWriter:
    """Writes messages one after another, in a thread, in the order in which they are given."""

    def __init__(
        self,
        stream: BinaryIO,
        was_shut_down: Callable[[], bool],
        max_waiting_bytes: int = MAX_WAITING_BYTES,
        end: Callable[[int], object] = leave,
    ) -> None:
        # Without the buffer of Python, whose lock a thread that waits would hold at the end of the program.
        self._stream = getattr(stream, "raw", stream)
        self._was_shut_down = was_shut_down
        self._max_waiting_bytes = max_waiting_bytes
        self._end = end
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._written_bytes = 0
        self._is_writing = False
        self._is_closed = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def write(self, data: bytes) -> None:
        """Have a message written; from any thread, and without waiting. Nothing is written after the end.

        More than may wait ends the server: its log says why.
        """
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = is_unread = self._is_full()
            if not is_unread:
                self._waiting.append(data)
                self._waiting_bytes += len(data)
                self._changed.notify_all()
                self._begin()
        if is_unread:
            self._give_up()

    def _is_full(self) -> bool:
        if self._waiting_bytes <= self._max_waiting_bytes:
            return False
        return self._waiting_bytes - max(map(len, self._waiting)) > self._max_waiting_bytes

    def close(self) -> None:
        """Wait until all is written, for as long as the client goes on reading."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            written, deadline = self._written_bytes, time.monotonic() + _PATIENCE_SECONDS
            while self._waiting or self._is_writing:
                if not self._changed.wait(deadline - time.monotonic()):
                    logging.getLogger("gpu2ascend").warning("the client does not read the last messages")
                    return
                if written != self._written_bytes:
                    written, deadline = self._written_bytes, time.monotonic() + _PATIENCE_SECONDS

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True, name="writer")
            self._thread.start()

    def _serve(self) -> None:
        while (data := self._next()) is not None:
            try:
                self._write(memoryview(data))
            except (OSError, ValueError):  # nobody reads any more, so that nothing is left to do
                self._end(0 if self._was_shut_down() else 1)
                break
        with self._changed:
            self._waiting.clear()
            self._is_writing = False
            self._changed.notify_all()

    def _next(self) -> bytes | None:
        """The next message, when there is one; None at the end."""
        with self._changed:
            self._is_writing = False
            self._changed.notify_all()
            while not self._waiting:
                if self._is_closed:
                    return None
                self._changed.wait()
            data = self._waiting.popleft()
            self._waiting_bytes -= len(data)
            self._is_writing = True
            return data

    def _write(self, rest: memoryview) -> None:
        while rest:
            count = self._stream.write(rest[:_CHUNK_BYTES])
            if not count:  # a pipe that the client has set not to block
                time.sleep(_PAUSE_SECONDS)
                continue
            rest = rest[count:]
            with self._changed:
                self._written_bytes += count
                self._changed.notify_all()

    def _give_up(self) -> None:
        reason = f"the client leaves more than {self._max_waiting_bytes} bytes of messages unread"
        logging.getLogger("gpu2ascend").error(reason)
        print(f"gpu2ascend lsp: {reason}", file=sys.stderr, flush=True)
        self._end(_UNREAD_CODE)
