"""Messages off a stream, by the base protocol: header fields, an empty line, and so many bytes of JSON.

pygls passes over a header that it does not understand and waits for the next, so that a client that counts
wrong never gets an answer again. Here that ends the session.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from ...project.processes.threads import Lane

_MAX_LINE = 8_192
"""The longest header field that is read, in bytes."""
_MAX_BODY = 2**31 - 1
_LENGTH = b"content-length"
_FIELD = re.compile(rb"([A-Za-z0-9-]+)[ \t]*:")


class HeaderError(Exception):
    """What came is no header of a message; where the next one begins cannot be known."""


class MessageReader:
    """Reads a client's messages, one after another, in a thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lane = Lane("reader")

    async def body(self) -> bytes | None:
        """The body of the next message; ``None`` when the client has left.
        Raises HeaderError: there is something else than a message."""
        return await self._lane.run(self._read)

    def _read(self) -> bytes | None:
        length = None
        while True:
            line = self._stream.readline(_MAX_LINE)
            if not line.endswith(b"\n"):
                if len(line) < _MAX_LINE:
                    return None  # the client left, or died in the middle
                raise HeaderError(_shown(line))
            if line in (b"\r\n", b"\n"):
                break
            field = _FIELD.match(line)
            if field is None:
                raise HeaderError(_shown(line))
            if field[1].lower() == _LENGTH:
                length = _length(line[field.end() :].strip())
        if length is None:
            raise HeaderError("Content-Length")
        body = self._stream.read(length)
        return body if len(body) == length else None


def _length(value: bytes) -> int:
    if not value.isdigit() or len(value) > len(str(_MAX_BODY)) or int(value) > _MAX_BODY:
        raise HeaderError(_shown(b"Content-Length: " + value))
    return int(value)


def _shown(line: bytes) -> str:
    return repr(line[:80])[1:]
