"""Read files of the project and write files of the output: bytes, permissions, times, attributes, links."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gpu2ascend_rules.limits.checkpoints import DEFAULT_MEGABYTES, MEGABYTE
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import option_name

from ...errors import reason, write_error, writing
from ...paths import join, shown
from ...regular_files import NotRegularError, TooLargeError, content_of, open_regular
from .attributes import Stamp, set_stamp, stamp_of

_BLOCK = 1 << 20
MAX_BYTES = DEFAULT_MEGABYTES * MEGABYTE
"""The largest file that is read where no options are at hand."""
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class UnreadableError(Exception):
    """A file cannot be read. ``message`` says why; the other files go on."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(message)


class OverSizeLimitError(UnreadableError):
    """A file is over the size that is read; it can be copied."""


class Content(NamedTuple):
    """A file that was read."""

    data: bytes
    stamp: Stamp


def read_file(path: str, limit: int = MAX_BYTES) -> Content:
    """The content of a regular file of at most ``limit`` bytes.

    Raises:
        OverSizeLimitError: it has more.
        UnreadableError: it cannot be read, or is no longer a regular file.
    """
    with _open_regular(path) as file:
        try:
            return Content(content_of(file, path, limit), stamp_of(file.fileno()))
        except TooLargeError as error:
            size = os.fstat(file.fileno()).st_size
            raise OverSizeLimitError(too_large(size, limit)) from error
        except OSError as error:
            raise _unreadable(error) from error


def too_large(size: int, limit: int) -> Message:
    """What to report of a file of more bytes than are read."""
    option = option_name("max_file_size")
    return Message.of("project.too-large", size=-(-size // MEGABYTE), limit=limit // MEGABYTE, option=option)


def write_file(path: str, data: bytes, stamp: Stamp, *, new: bool = False) -> str:
    """Write a file of the output; gives the SHA-256 of its content.

    ``new`` content gets a new time, so that build tools see the change.

    Raises:
        OutputError: the operating system refuses.
    """
    with writing(path), _create(path) as file:
        file.write(data)
        file.flush()
        set_stamp(path, stamp, with_time=not new)
    return hashlib.sha256(data).hexdigest()


def copy_file(source: str, target: str) -> str:
    """Copy a regular file block by block; gives the SHA-256 of its content.

    Raises:
        UnreadableError: the source cannot be read to its end; no part of it is left in the output.
        OutputError: the target cannot be written.
    """
    with _open_regular(source) as file:
        stamp = stamp_of(file.fileno())
        with writing(target):
            output = _create(target)
        with output:
            try:
                digest = _copy_blocks(file, output, target)
            except UnreadableError:
                Path(target).unlink()
                raise
        with writing(target):
            set_stamp(target, stamp, with_time=True)
    return digest


def _copy_blocks(file: BinaryIO, output: BinaryIO, target: str) -> str:
    digest = hashlib.sha256()
    while True:
        try:
            block = file.read(_BLOCK)
        except OSError as error:
            raise _unreadable(error) from error
        with writing(target):
            if not block:
                output.flush()
                return digest.hexdigest()
            output.write(block)
        digest.update(block)


def make_directory(path: str, mode: int) -> None:
    """Make a directory of the output that can be filled, whatever its final permissions.
    Raises OutputError: the operating system refuses."""
    with writing(path):
        Path(path).mkdir()
        Path(path).chmod(mode & 0o777 | 0o700)


def copy_link(root: str, relative: str, target: str, is_copied: Callable[[str], bool]) -> str | None:
    """Make a symbolic link anew, never looking through it; gives where it leads if not into the output.

    A link within the project leads to the same file of the output. One that leads out, or to what is not
    copied, still leads to the same place, by its absolute path: it is a link to data that the project needs,
    not a part of it.

    Args:
        is_copied: Whether a path within the project is in the output.

    Raises:
        UnreadableError: the link cannot be read, or the output's file system knows no links.
        OutputError: the operating system refuses to write.
    """
    path = join(root, relative)
    try:
        text = os.readlink(path)  # noqa: PTH115
    except OSError as error:
        raise _unreadable(error) from error
    directory = os.path.dirname(path)  # noqa: PTH120
    lexical = os.path.normpath(os.path.join(directory, text))  # noqa: PTH118
    leads_out = not all(
        _is_below(place, root) and is_copied(os.path.relpath(place, root).replace(os.sep, "/"))
        for place in (lexical, os.path.realpath(path))
    )
    new = lexical if leads_out else text
    if os.path.isabs(text) and not leads_out:  # noqa: PTH117
        new = os.path.relpath(lexical, directory)
    try:
        os.symlink(new, target)  # noqa: PTH211
    except OSError as error:
        if error.errno in _NO_LINKS:
            raise UnreadableError(Message.of("project.no-links", reason=reason(error))) from error
        raise write_error(error, target) from error
    return new if leads_out else None


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _open_regular(path: str) -> BinaryIO:
    """Open a file that was regular when it was listed: if it is a pipe by now, do not wait for it."""
    try:
        return open_regular(path, follow=False)
    except NotRegularError as error:
        raise UnreadableError(Message.of("project.not-regular")) from error
    except OSError as error:
        raise _unreadable(error) from error


def _create(path: str) -> BinaryIO:
    """A new file that only its owner can read until it is stamped. A half-written one is replaced."""
    try:
        descriptor = os.open(path, _WRITE_FLAGS, 0o600)
    except FileExistsError:
        Path(path).unlink()
        descriptor = os.open(path, _WRITE_FLAGS, 0o600)
    return open(descriptor, "wb")  # noqa: PTH123


def _unreadable(error: OSError) -> UnreadableError:
    return UnreadableError(Message.of("project.unreadable", reason=shown(reason(error))))
