"""What a file has beside its content: permissions, time, owner, and extended attributes with POSIX ACLs."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import NamedTuple

_ACL = "system.posix_acl_access"
_OF_THE_CONTENT = ("security.capability", "security.ima", "security.evm", "trusted.overlay.")
"""What lends rights to the content, signs it, or belongs to its file system: no other content gets it."""
_READS = hasattr(os, "listxattr")
"""Whether Python reads extended attributes on this system: on Linux alone."""


class Stamp(NamedTuple):
    """What a copy keeps of a file beside its content."""

    mode: int
    """Permission bits; those that lend another user's rights are not kept."""
    modified_ns: int
    extended: tuple[tuple[str, bytes], ...] = ()
    """Extended attributes by name, in order; a POSIX ACL is one of them."""


def stamp_of(descriptor: int) -> Stamp:
    """What to keep of an open file. Raises OSError: the system does not say."""
    status = os.fstat(descriptor)
    return Stamp(stat.S_IMODE(status.st_mode) & 0o777, status.st_mtime_ns, _extended(descriptor))


def set_stamp(path: str, stamp: Stamp, *, with_time: bool) -> None:
    """Give a new file what was kept of the one that it is a copy of.

    Extended attributes that the file system does not take are left out, as other programs do.

    Raises:
        OSError: the system refuses the time or the permissions.
    """
    if stamp.extended:
        _set_extended(path, stamp.extended)
    if with_time:
        os.utime(path, ns=(stamp.modified_ns, stamp.modified_ns))
    os.chmod(path, stamp.mode)  # noqa: PTH101 - a Path would keep every name of the project interned


def take_the_place_of(path: str, stamp: Stamp, status: os.stat_result) -> tuple[str, ...]:
    """Make a new file as the one whose place it takes; gives what the system did not let it keep.

    That is ``owner``, ``group``, and names of extended attributes. If the group is another, its members may
    do what everybody may do: the permissions were not meant for them.

    Args:
        path: Of the new file, of which nobody else has rights so far.
        stamp: Of the other file.
        status: Of the other file, for its owner and group.

    Raises:
        OSError: the system refuses the permissions.
    """
    lost = _set_owner(path, status)
    lost += _set_extended(path, stamp.extended)
    with suppress(OSError):
        if _READS and _ACL not in dict(stamp.extended) and _ACL in os.listxattr(path):
            os.removexattr(path, _ACL)  # inherited from the directory
    mode = stamp.mode
    if "group" in lost:
        mode &= 0o707 | (mode & 0o007) << 3
    os.chmod(path, mode)  # noqa: PTH101
    return tuple(lost)


def _set_owner(path: str, status: os.stat_result) -> list[str]:
    lost: list[str] = []
    if not hasattr(os, "chown"):
        return lost
    made = os.stat(path, follow_symlinks=False)  # noqa: PTH116
    for name, uid, gid, is_same in (
        ("group", -1, status.st_gid, made.st_gid == status.st_gid),
        ("owner", status.st_uid, -1, made.st_uid == status.st_uid),
    ):
        if not is_same:
            try:
                os.chown(path, uid, gid, follow_symlinks=False)
            except OSError:
                lost.append(name)
    return lost


def _extended(descriptor: int) -> tuple[tuple[str, bytes], ...]:
    found: list[tuple[str, bytes]] = []
    if _READS:
        with suppress(OSError):  # a file system without them
            for name in sorted(os.listxattr(descriptor)):
                if not name.startswith(_OF_THE_CONTENT):
                    found.append((name, os.getxattr(descriptor, name)))
    return tuple(found)


def _set_extended(path: str, extended: tuple[tuple[str, bytes], ...]) -> list[str]:
    """Set attributes; gives those that the system refuses."""
    refused: list[str] = []
    for name, value in extended:
        try:
            if not _READS:
                raise OSError(name)
            if not _has(path, name, value):
                os.setxattr(path, name, value)
        except OSError:
            refused.append(name)
    return refused


def _has(path: str, name: str, value: bytes) -> bool:
    """Whether a file has an attribute already, as a label that the system gives to every file."""
    try:
        return os.getxattr(path, name) == value
    except OSError:
        return False
