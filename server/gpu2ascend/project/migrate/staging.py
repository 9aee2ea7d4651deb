"""The private directories in which outputs are built, and those that killed migrations have left.

The process that builds holds a lock on the directory, which the system gives up when the process ends, in
whatever way. A directory with our name and our marker that no process has locked is no longer needed. The
marker gives the inode, so that it is of that very directory and no copy; and a directory that holds anything
but what was to be written there stays.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ... import __version__
from ..leftovers import CAN_LOCK, locked_folder, remove_tree
from ..manifest.marker import Marker, aside_prefix, read_marker, write_marker

_RANDOM = re.compile(r"[a-z0-9_]{8}")


class Staging(NamedTuple):
    """A directory in which an output is being built."""

    path: Path
    lock: int | None
    """The open directory; None where directories cannot be locked."""

    def release(self) -> None:
        """It is done, or given up."""
        if self.lock is not None:
            os.close(self.lock)


def new_staging(target: Path) -> Staging:
    """A new directory beside the place of an output. Raises OSError: it cannot be made or written to."""
    path = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
    lock = locked_folder(path)
    try:
        status = path.stat()
        write_marker(path, Marker(__version__, (), staging=(status.st_dev, status.st_ino)))
    except OSError:
        remove_tree(path)
        Staging(path, lock).release()
        raise
    return Staging(path, lock)


def remove_abandoned(target: Path) -> bool:
    """Remove what migrations to a place have left there because they were killed; gives whether any was."""
    removed = False
    with suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            if _is_named(entry.name, target) and _is_own_directory(entry):
                removed |= _remove_unless_held(Path(entry.path))
    return removed


def left_behind(target: Path) -> list[Path]:
    """What killed migrations to a place have left there, and what may hold files of people."""
    found: list[Path] = []
    with suppress(OSError):
        for entry in sorted(os.scandir(target.parent), key=lambda item: item.name):
            if not _is_named(entry.name, target) or not entry.is_dir(follow_symlinks=False):
                continue
            path = Path(entry.path)
            is_ours = read_marker(path) is not None or read_marker(path / target.name) is not None
            if is_ours and not _is_held(path):
                found.append(path)
    return found


def _prefix(target: Path) -> str:
    return f".{target.name}-"


def _is_own_directory(entry: os.DirEntry[str]) -> bool:
    """Whether we made it: a directory, no link to one, that only this user can write to, and that its
    marker names."""
    status = entry.stat(follow_symlinks=False)
    is_private = not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not (stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and is_private):
        return False
    marker = read_marker(Path(entry.path))
    return marker is not None and marker.staging == (status.st_dev, status.st_ino)


def _is_named(name: str, target: Path) -> bool:
    """Whether a directory beside the place of an output has a name that we give."""
    prefix = next((it for it in (aside_prefix(target.name), _prefix(target)) if name.startswith(it)), None)
    return prefix is not None and _RANDOM.fullmatch(name.removeprefix(prefix)) is not None


def _remove_unless_held(path: Path) -> bool:
    from ..manifest.ledger import holds_only_planned

    lock = locked_folder(path)
    if lock is None:
        return False
    try:
        is_ours = holds_only_planned(path)
        if is_ours:
            remove_tree(path)
        return is_ours
    finally:
        os.close(lock)


def _is_held(path: Path) -> bool:
    """Whether a process builds in a directory."""
    lock = locked_folder(path)
    if lock is not None:
        os.close(lock)
    return lock is None and CAN_LOCK
