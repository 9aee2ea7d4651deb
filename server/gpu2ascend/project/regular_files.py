"""The one way in which files that others made are opened: regular ones only, and without waiting.

To open a pipe without a writer blocks for ever, and to open a device may already do something. What a name
means is therefore looked at before the file is opened, and again on the open file, for it may be another
by then.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

_READ_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)
WRITTEN_BY_HAND = 1_000_000
"""Bytes that are read at most of a file that people or installers write line by line: settings, requirements,
configurations, descriptions of a machine. A larger one is something else under that name."""
_BLOCK = 1 << 16
"""Bytes that are read at once of a file that says that it is empty, as those of ``/proc`` do."""
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{name}{number}" for name in ("com", "lpt") for number in "0123456789¹²³"}
)
"""Names that Windows takes for devices in every directory, whatever suffix follows."""
_DEVICE_PREFIXES = ("\\\\.\\", "\\\\?\\globalroot", "\\\\?\\pipe")


class NotRegularError(OSError):
    """It is a pipe, a socket, a device or a directory."""


class OutsideError(OSError):
    """It lies, or a link on its way leads, outside the directory that it belongs to."""


class TooLargeError(OSError):
    """It holds more than is read of such a file."""


def open_regular(path: str | os.PathLike[str], *, follow: bool = True) -> BinaryIO:
    """Open a regular file for reading, without ever waiting for one.

    Args:
        follow: Whether a link counts as what it leads to. If not, a link is an error.

    Raises:
        NotRegularError: it is no regular file.
        OSError: it cannot be opened.
    """
    descriptor = _opened(path, follow=follow)
    try:
        return open(descriptor, "rb")  # noqa: PTH123
    except BaseException:
        os.close(descriptor)
        raise


def _opened(path: str | os.PathLike[str], *, follow: bool) -> int:
    """The descriptor of a regular file, for reading."""
    require_regular(path, follow=follow)
    descriptor = os.open(path, _READ_FLAGS | (0 if follow else _NO_FOLLOW))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_regular(path)
    return descriptor


def head_of(path: str | os.PathLike[str], size: int) -> bytes:
    """The first bytes of a regular file, at most ``size``: no more is read.

    Raises:
        NotRegularError: it is no regular file.
        OSError: it cannot be opened or read.
    """
    descriptor = _opened(path, follow=True)
    try:
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)


def require_regular(path: str | os.PathLike[str], *, follow: bool = True) -> None:
    """Make sure that a name is of a regular file, without opening it.

    Raises:
        NotRegularError: it is no regular file.
        OSError: it is missing, or cannot be looked at.
    """
    _refuse_device_name(os.fspath(path))
    if not stat.S_ISREG(os.stat(path, follow_symlinks=follow).st_mode):  # noqa: PTH116
        raise _not_regular(path)


def read_regular(path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """The content of a regular file; a link counts as what it leads to.

    Args:
        limit: Bytes, beyond which it is an error.

    Raises:
        NotRegularError: it is no regular file.
        TooLargeError: it holds more than ``limit``.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        return content_of(file, path, limit)


def read_inside(root: Path, path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """The content of a regular file that lies below a directory, also by where links lead.

    Raises:
        OutsideError: it lies elsewhere, or a link leads there.
        NotRegularError: it is no regular file.
        TooLargeError: it holds more than ``limit`` bytes.
        OSError: it cannot be read.
    """
    with open_inside(root, path) as file:
        return content_of(file, path, limit)


def open_inside(root: Path, path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file that lies below a directory, also by where links lead.

    Raises:
        OutsideError: it lies elsewhere, or a link leads there.
        NotRegularError: it is no regular file.
        OSError: it cannot be opened.
    """
    _refuse_device_name(os.fspath(path))
    return open_regular(real_inside(root, path), follow=False)


def real_inside(root: Path, path: str | os.PathLike[str]) -> str:
    """The path of what lies below a directory, without links.
    Raises OutsideError: it lies elsewhere, or a link leads there."""
    real, given, around = os.path.realpath(path), os.fspath(path), os.fspath(root)
    if real == given and given.startswith(around.rstrip(os.sep) + os.sep):
        return real  # no part of it is a link, and so none of the directory's path
    top = os.path.realpath(root)
    if not real.startswith(top.rstrip(os.sep) + os.sep):
        raise OutsideError(errno.EACCES, "lies outside the project", os.fspath(path))
    return real


def is_of_same_user(path: Path, directory: Path) -> bool:
    """Whether a file belongs to the user to whom a directory does. Windows has no such numbers."""
    if os.name == "nt":
        return True
    try:
        return path.stat().st_uid == directory.stat().st_uid
    except OSError:
        return False


def content_of(file: BinaryIO, path: str | os.PathLike[str], limit: int | None) -> bytes:
    """The content of an open regular file; of one that is too large, nothing is read.

    Raises:
        TooLargeError: it holds more than ``limit`` bytes.
        OSError: it cannot be read.
    """
    if limit is None:
        return file.read()
    size = os.fstat(file.fileno()).st_size
    data = read_at_most(file, limit + 1, max(size + 1, _BLOCK)) if size <= limit else b""
    if max(size, len(data)) > limit:
        raise TooLargeError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
    return data


def read_at_most(file: BinaryIO, limit: int, block: int = 1 << 20) -> bytes:
    """The rest of a file, up to ``limit`` bytes; room is made for one block at a time."""
    parts: list[bytes] = []
    while limit > 0 and (part := file.read(min(limit, block))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _refuse_device_name(path: str) -> None:
    if sys.platform == "win32" and is_device_name(path):
        raise _not_regular(path)


def is_device_name(path: str) -> bool:
    """Whether Windows takes a path for a device's."""
    plain = path.replace("/", "\\").lower()
    last = plain.rpartition("\\")[2].partition(":")[0].partition(".")[0].rstrip(" ")
    return last in _DEVICES or plain.startswith(_DEVICE_PREFIXES)


def _not_regular(path: str | os.PathLike[str]) -> NotRegularError:
    return NotRegularError(errno.EINVAL, "not a regular file", os.fspath(path))
