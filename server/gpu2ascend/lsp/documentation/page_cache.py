"""A directory of the user's cache for pages that an editor opens, which no other user can write to."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ... import __version__


def cached_page(name: str, text: str) -> Path | None:
    """The path of a file with this text, written unless it is there; ``None`` if that is impossible.

    The directory is named by the version and the text: several checkouts never write the same file, and a
    file that a link leads to is never changed.
    """
    base = cache_directory()
    if base is None:
        return None
    data = text.encode("utf-8")
    directory = base / "gpu2ascend" / f"{__version__}-{hashlib.sha256(data).hexdigest()[:16]}"
    path = directory / name
    try:
        base.mkdir(parents=True, exist_ok=True)
        for part in (directory.parent, directory):
            part.mkdir(mode=0o700, exist_ok=True)
            if not _is_private(part):
                return None
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            _write(path, data)
    except OSError:
        return None
    return path


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


def _is_private(directory: Path) -> bool:
    """Whether only this user can write to a directory. Windows keeps those of ``LOCALAPPDATA`` so."""
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, data: bytes) -> None:
    """Write a file whole: another server that starts now reads all of it or nothing."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)  # noqa: PTH105 - both are plain names of one directory
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
