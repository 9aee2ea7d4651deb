"""The directory of the user's cache, and folders in it that no other user can write to."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_directory(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Where the system keeps a user's caches; ``None`` if it names no such directory."""
    if platform == "win32":
        named = environ.get("LOCALAPPDATA", "")
        return Path(named) if Path(named).is_absolute() else None
    named = environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named)
    try:
        home = Path.home()
    except RuntimeError:  # the user has no home directory
        return None
    return home / "Library" / "Caches" if platform == "darwin" else home / ".cache"


def private_folder(*names: str) -> Path | None:
    """A folder of this program in the cache, made if need be; ``None`` if there is none that is private.
    Raises OSError: it cannot be made."""
    base = cache_directory()
    if base is None:
        return None
    base.mkdir(parents=True, exist_ok=True)
    folder = base / "gpu2ascend"
    for part in (folder, *(folder.joinpath(*names[: count + 1]) for count in range(len(names)))):
        part.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(part):
            return None
    return folder.joinpath(*names)


def _is_private(directory: Path) -> bool:
    """Whether only this user can write to a directory. Windows keeps those of ``LOCALAPPDATA`` so."""
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
