"""Files beside others that new content is written to first, folders for a while, and what of them is left.

A process holds a lock on its file or folder for as long as it needs it, which the system gives up when the
process ends, in whatever way. What has such a name, of this user, that nobody has locked is no longer needed.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .regular_files import open_regular

try:
    import fcntl
except ImportError:  # Windows: they cannot be locked like this, and nothing that was left is removed
    fcntl = None  # type: ignore[assignment]

CAN_LOCK = fcntl is not None
_NAME = re.compile(r"\..+\.\d+(?:-[0-9a-f]{8})?\.gpu2ascend", re.DOTALL)
_SCRATCH = "gpu2ascend-scratch-"
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
            _lock(file.fileno())
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
        if os.fstat(file.fileno()).st_uid == os.geteuid() and _lock(file.fileno()):
            path.unlink()


class Scratch(NamedTuple):
    """A private folder for a while."""

    path: Path
    lock: int | None
    """The open folder; None where folders cannot be locked."""

    def remove(self) -> None:
        """Remove it with everything in it."""
        remove_tree(self.path)
        if self.lock is not None:
            os.close(self.lock)


def new_scratch() -> Scratch:
    """A new private folder among the system's temporary ones. Those that killed processes left there go."""
    remove_unlocked(Path(tempfile.gettempdir()), _SCRATCH)
    while True:
        path = Path(tempfile.mkdtemp(prefix=_SCRATCH))
        lock = locked_folder(path)
        if not CAN_LOCK or (lock is not None and path.is_dir()):  # else another process took it for left
            return Scratch(path, lock)
        if lock is not None:
            os.close(lock)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new private folder for a while, see :func:`new_scratch`."""
    scratch = new_scratch()
    try:
        yield scratch.path
    finally:
        scratch.remove()


def remove_unlocked(parent: Path, prefix: str, stays: Callable[[Path], bool] = lambda _: False) -> None:
    """Remove folders of this user whose names begin in one way, if nobody has locked them.

    Args:
        stays: Whether one is still needed. Asked while it is locked.
    """
    for left in parent.glob(f"{prefix}*"):
        lock = locked_folder(left)
        if lock is not None:
            if os.fstat(lock).st_uid == os.geteuid() and not stays(left):
                remove_tree(left)
            os.close(lock)


def locked_folder(path: Path) -> int | None:
    """A folder, opened and locked; None if it cannot be, or another process has locked it."""
    if not CAN_LOCK:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    if _lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def remove_tree(path: Path) -> None:
    """Remove a directory of ours with everything in it, read-only directories included."""
    with suppress(OSError):
        path.chmod(0o700)
    for directory, names, _ in os.walk(path):
        for name in names:
            child = Path(directory, name)
            if not child.is_symlink():
                with suppress(OSError):
                    child.chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


def _lock(file: int) -> bool:
    """Lock an open file or folder; says whether that was possible."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
