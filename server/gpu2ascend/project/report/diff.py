"""A unified diff of one file: as text to read, and as the bytes that ``patch`` and ``git apply`` take."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from difflib import diff_bytes, unified_diff

_NO_NEWLINE = "\\ No newline at end of file\n"
_NEW = "/dev/null"
_USUAL_MODE = 0o644
_QUOTED = re.compile(rb"[\x00-\x1f\"\\\x7f]")
_ESCAPES = {b"\t": rb"\t", b"\n": rb"\n", b"\r": rb"\r", b'"': rb"\"", b"\\": rb"\\"}


def file_diff(path: str, before: str | None, after: str) -> str:
    """The diff from one text of a file to another; from ``None`` to the text of a new file.

    Lines end at LF alone, as they do for ``patch``: a CR belongs to its line and is shown as changed
    when it is.
    """
    old = _NEW if before is None else f"a/{path}"
    lines = unified_diff(_lines(before or ""), _lines(after), old, f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}" for line in lines)


def file_patch(path: str, before: bytes | None, after: bytes, mode: int = _USUAL_MODE) -> bytes:
    """The same of bytes, in whatever encoding, byte for byte what a program applies.

    Args:
        path: As the system has it, relative to the project, with ``/``.
        mode: Of a new file.
    """
    old = _NEW.encode() if before is None else _name("a", path)
    lines = diff_bytes(unified_diff, _byte_lines(before or b""), _byte_lines(after), old, _name("b", path))
    return b"".join(_headed(path, before, mode)) + b"".join(_ended(line) for line in lines)


def _headed(path: str, before: bytes | None, mode: int) -> Iterator[bytes]:
    """What says that a new file can be executed; a plain one needs no such line."""
    if before is None and mode != _USUAL_MODE:
        yield b"diff --git %s %s\n" % (_name("a", path).rstrip(b"\t"), _name("b", path).rstrip(b"\t"))
        yield b"new file mode 100%o\n" % mode


def _name(side: str, path: str) -> bytes:
    """A name as Git writes it: quoted where a character could end the line, with a tab behind spaces."""
    name = os.fsencode(f"{side}/{path}")
    if _QUOTED.search(name):
        return b'"%s"' % _QUOTED.sub(lambda match: _ESCAPES.get(match[0]) or b"\\%03o" % match[0][0], name)
    return name + b"\t" if b" " in name else name


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n" + _NO_NEWLINE.encode()


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    ended = [f"{line}\n" for line in lines]
    return [*ended, last] if last else ended


def _byte_lines(data: bytes) -> list[bytes]:
    *lines, last = data.split(b"\n")
    ended = [line + b"\n" for line in lines]
    return [*ended, last] if last else ended
