"""A directory of the user's cache for pages that an editor opens, which no other user can write to."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ... import __version__
from ...project.files.user_cache import private_folder
from ...project.files.writing.replacing import put_file


def cached_page(name: str, text: str) -> Path | None:
    """The path of a file with this text, written unless it is there; ``None`` if that is impossible.

    The directory is named by the version and the text: several checkouts never write the same file, and a
    file that a link leads to is never changed.
    """
    data = text.encode("utf-8")
    try:
        directory = private_folder(f"{__version__}-{hashlib.sha256(data).hexdigest()[:16]}")
        if directory is None:
            return None
        path = directory / name
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            put_file(path, data)
    except OSError:
        return None
    return path
