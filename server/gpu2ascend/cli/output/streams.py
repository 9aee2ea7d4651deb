"""Output that goes on when nobody takes it: a command is carried out whether or not that can be written."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_LEFT = frozenset({errno.EPIPE, errno.EINVAL})
"""The reader has left; the second is what Windows says of it."""


class LossyOutput(io.RawIOBase):
    """A stream that takes everything: what its target refuses is lost, and so is all that follows."""

    def __init__(self, target: io.RawIOBase) -> None:
        self._target = target
        self.error: OSError | None = None
        """Why something was lost; None as long as nothing was."""

    @property
    def complaint(self) -> str | None:
        """What the user should know; None where all was written, or the reader had enough."""
        if self.error is None or self.error.errno in _LEFT:
            return None
        return self.error.strerror or str(self.error)

    def write(self, data: object, /) -> int:
        """Write what can be written, and report all as written."""
        view = memoryview(data)  # type: ignore[arg-type]  # whatever is like bytes
        if self.error is None:
            try:
                return self._target.write(view) or 0
            except OSError as error:
                self.error = error
        return view.nbytes

    def writable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return self._target.isatty()

    def fileno(self) -> int:
        """The descriptor of the target."""
        return self._target.fileno()


@contextmanager
def lossy_streams() -> Iterator[tuple[LossyOutput, ...]]:
    """Let the standard streams of this process be such for a while; those that are no files stay as they are.

    A character that a stream's encoding lacks is written as an escape: a report is worth more than that. The
    streams of before come back afterwards, since a caller in this process may have more to write.

    Yields:
        What takes the place of the standard output and of the standard error, where it does.
    """
    before = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    made = {name: _lossy(stream) for name, stream in before.items()}
    for name, (stream, _) in made.items():
        setattr(sys, name, stream)
    try:
        yield tuple(lossy for _, lossy in made.values() if lossy is not None)
    finally:
        for name, stream in before.items():
            with suppress(OSError, ValueError):  # the command may have closed it
                getattr(sys, name).flush()
            setattr(sys, name, stream)


def _lossy(stream: TextIO | None) -> tuple[TextIO, LossyOutput | None]:
    """What to write to instead of a stream, and the part of it that loses."""
    if stream is None:  # it was closed before the start
        return open(os.devnull, "w", encoding="utf-8"), None  # noqa: PTH123
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # there is no buffer with PYTHONUNBUFFERED
    if isinstance(raw, io.RawIOBase) and isinstance(stream, io.TextIOWrapper):
        stream.flush()
        lossy = LossyOutput(raw)
        return _text_stream(lossy, stream), lossy
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream, None


def _text_stream(raw: io.RawIOBase, like: io.TextIOWrapper) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=like.encoding,
        errors="backslashreplace",
        newline="\n" if os.linesep == "\n" else None,
        # PYTHONUNBUFFERED makes a stream write through: what that reaches here is a buffer again.
        line_buffering=raw.isatty() or like.line_buffering or like.write_through,
    )
