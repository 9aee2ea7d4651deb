"""Put new content in the place of a file, whole or not at all, and lose nothing that a person wrote."""

from __future__ import annotations

import os
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ...errors import KeptError, writing
from ...leftovers import close_where_open_files_stay, temporary_sibling
from ...paths import exists, resolved, shown
from ...regular_files import NotRegularError, open_regular, require_regular
from .attributes import Stamp, stamp_of, take_the_place_of

READ_ONLY_FLAG = "--fix-read-only"
_WRITABLE = 0o222


def replace_file(path: Path, old: bytes, data: bytes, *, read_only: bool = False) -> tuple[str, ...]:
    """Put new content into a file that was read, and keep what it has beside its content.

    A link stays a link to the changed file. The owner, the group, the permissions without setuid and setgid,
    extended attributes and ACLs are kept.

    Args:
        path: The file.
        old: What was read of it. If something else is there by now, it stays.
        data: The new content.
        read_only: Whether to change files that are write-protected, too.

    Returns:
        What the system did not let it keep: ``owner``, ``group``, and names of extended attributes.

    Raises:
        KeptError: it was changed meanwhile, is write-protected, or has several names; it is as it was.
        OutputError: the operating system refuses; the file is as it was.
    """
    real = resolved(path)
    with writing(path):
        status, stamp = _as_read(real, old), _stamp(real)
        _refuse(real, status, read_only=read_only)
        with temporary_sibling(real) as (aside, file):
            file.write(data)
            file.flush()
            lost = take_the_place_of(str(aside), stamp, status)
            close_where_open_files_stay(file)
            if _identity(_as_read(real, old)) != _identity(status):
                raise _changed()
            aside.replace(real)
    return lost


def is_left_alone(path: Path, *, read_only: bool) -> bool:
    """Whether :func:`replace_file` would leave a file to whoever protected it, or gave it another name."""
    real = resolved(path)
    try:
        _refuse(real, real.stat(), read_only=read_only)
    except KeptError:
        return True
    except OSError:
        return False  # which says so itself
    return False


def put_document(path: Path, text: str, *, force: bool) -> None:
    """Make a file that a user asked for; an existing one only on request, and never a pipe or a device.

    Raises:
        FileExistsError: there is one.
        NotRegularError: what is there is no file.
        OSError: the operating system refuses.
    """
    if force and exists(path):
        require_regular(path)
        put_file(resolved(path), text.encode("utf-8"))
        return
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def put_file(path: Path, data: bytes) -> None:
    """Make a file anew, in the place of whatever has its name: a link or a pipe is replaced, not opened.
    Raises OSError: the operating system refuses; what was there is as it was."""
    with temporary_sibling(path, 0o666) as (aside, file):
        file.write(data)
        file.flush()
        close_where_open_files_stay(file)
        aside.replace(path)


def _as_read(path: Path, old: bytes) -> os.stat_result:
    """What the system says of a file whose content is still what was read."""
    try:
        with open_regular(path, follow=False) as file:
            status = os.fstat(file.fileno())
            if status.st_size == len(old) and file.read(len(old) + 1) == old:
                return status
    except (FileNotFoundError, NotRegularError) as error:
        raise _changed() from error
    raise _changed()


def _stamp(path: Path) -> Stamp:
    with open_regular(path, follow=False) as file:
        return stamp_of(file.fileno())


def _changed() -> KeptError:
    return KeptError(Message.of("project.changed-meanwhile"))


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_nlink, status.st_mode, status.st_uid, status.st_gid)


def _refuse(path: Path, status: os.stat_result, *, read_only: bool) -> None:
    """Leave a file that somebody protected, or that has other names, which may lie outside the project."""
    is_protected = not status.st_mode & _WRITABLE or not os.access(path, os.W_OK)
    if is_protected and not read_only:
        raise KeptError(Message.of("project.read-only", option=READ_ONLY_FLAG))
    if status.st_nlink > 1:
        raise KeptError(Message.of("project.hard-links", count=status.st_nlink, name=shown(path.name)))
