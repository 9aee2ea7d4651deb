"""The files beside others that new content is written to first, and those that killed processes have left.

A process holds a lock on its file for as long as it needs it, which the system gives up when the process
ends, in whatever way. A file with such a name, of this user, that nobody has locked is no longer needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .regular_files import open_regular

try:
    import fcntl
except ImportError:  # Windows: files cannot be locked like this, and nothing that was left is removed
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\..+\.\d+(?:-[0-9a-f]{8})?\.gpu2ascend", re.DOTALL)
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextmanager
def temporary_sibling(path: Path, mode: int = 0o600) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file in the folder of another, open and locked; removed in the end if it still has its name.

    Args:
        path: Of the other file.
        mode: Permissions, less those that the process gives to no file.

    Raises:
        OSError: it cannot be made.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.gpu2ascend")
    descriptor = os.open(aside, _FLAGS, mode)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123
            _lock(file)
            yield aside, file
    finally:
        with suppress(OSError):
            aside.unlink()


def close_where_open_files_stay(file: BinaryIO) -> None:
    """Close a file before it is renamed where the system renames no open file: on Windows."""
    if fcntl is None:
        file.close()


def is_leftover_name(name: str) -> bool:
    """Whether a file's name is one that :func:`beside` gives."""
    return name.endswith(".gpu2ascend") and _NAME.fullmatch(name) is not None


def leftovers_of(path: Path) -> list[Path]:
    """What has the name of a leftover of a file, in its directory."""
    prefix = f".{path.name}."
    with suppress(OSError):
        names = [entry.name for entry in os.scandir(path.parent) if entry.name.startswith(prefix)]
        return [path.with_name(name) for name in names if is_leftover_name(name)]
    return []


def remove_leftover(path: Path) -> None:
    """Remove a file that a killed process has left: by its name, its owner, and that nobody has locked it."""
    if fcntl is None or not is_leftover_name(path.name):
        return
    with suppress(OSError), open_regular(path, follow=False) as file:
        if os.fstat(file.fileno()).st_uid == os.geteuid() and _lock(file):
            path.unlink()


def _lock(file: BinaryIO) -> bool:
    """Lock an open file; says whether that was possible."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
