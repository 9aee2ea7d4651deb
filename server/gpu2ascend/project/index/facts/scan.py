"""The steps by which the index of a project is built: plain functions that a background process runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ...files.discover import EntryKind, walk
from ...files.excludes import Excludes
from .facts import FileFacts
from .file_facts import facts_on_disk

MAX_FILES = 50_000
"""Python files beyond which a directory is not indexed: no project, but a disk or a home directory."""
_MAX_ENTRIES = 1_000_000
"""Files of any kind beyond which it is not."""


class PythonFiles(NamedTuple):
    """The Python files and notebooks of a project."""

    paths: tuple[str, ...]
    """Relative to its directory."""
    is_complete: bool
    """Whether these are all; there may be more than is reasonable."""


def python_files(root: Path) -> PythonFiles:
    """Those that a survey reads, excluded ones too: none if the directory cannot be listed."""
    paths: list[str] = []
    with suppress(OSError):
        for count, entry in enumerate(walk(root, Excludes(()))):
            if len(paths) >= MAX_FILES or count >= _MAX_ENTRIES:
                return PythonFiles((), is_complete=False)
            if entry.kind is EntryKind.PYTHON:
                paths.append(entry.path)
    return PythonFiles(tuple(paths), is_complete=True)


def facts_of_files(root: Path, paths: Sequence[str]) -> list[FileFacts | None]:
    """The facts of files, in their order; ``None`` for each that cannot be read, or is no longer there."""
    return [facts_on_disk(str(root), path) for path in paths]
