"""File names: as text that can be shown and stored anywhere, and what the system says of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.messages.visible import visible


def shown(path: object) -> str:
    """A path as valid Unicode on one line: bytes that are no UTF-8 as ``\\xNN``, what is not seen likewise.

    A file name on Linux is any bytes; Python holds those that do not decode as lone surrogates, which
    can be neither printed nor written to a report.
    """
    return visible(os.fspath(path) if isinstance(path, os.PathLike) else str(path))


# The same questions to a ``Path`` raise, before Python 3.14, when a directory on the way may not be searched,
# when the name is too long, or when links lead in a circle.


def exists(path: Path) -> bool:
    """Whether there is something, as far as the system shows; a link counts as what it leads to."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: Path) -> bool:
    """Whether there is a regular file, as far as the system shows."""
    return os.path.isfile(path)  # noqa: PTH113


def is_directory(path: Path) -> bool:
    """Whether there is a directory, as far as the system shows."""
    return os.path.isdir(path)  # noqa: PTH112


def resolved(path: Path) -> Path:
    """The absolute path without links; as it is from where they lead in a circle, or in no directory at all.

        The current directory may have been removed; a relative path then leads nowhere, and opening it
    fails.
    """
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError:
        return path


def join(directory: str, relative: str) -> str:
    """The path of a file of a tree, from the tree's directory and the name relative to it with ``/``."""
    if not relative:
        return directory
    if os.sep == "/" and directory and directory[-1] != "/":
        return f"{directory}/{relative}"  # asked for every file of a project at each edit
    return os.path.join(directory, *relative.split("/"))  # noqa: PTH118


def size_text(size: int) -> str:
    """A number of bytes for people: ``12.3 GB``."""
    for unit, bytes_of in (("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000)):
        if size >= bytes_of:
            return f"{size / bytes_of:.1f} {unit}"
    return f"{size} B"


def listed(names: Sequence[str], most: int) -> str:
    """The first of some names in one text, with a mark if there are more."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def way_between(start: Path, end: Path) -> str | None:
    """The path from a directory to another, with ``/``; None where none leads there, or not as Unicode."""
    try:
        way = os.path.relpath(resolved(end), resolved(start)).replace(os.sep, "/")
        way.encode("utf-8")
    except ValueError:  # on another drive, or bytes that are no text
        return None
    return way
