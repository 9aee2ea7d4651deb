"""Files outside any project: how much of what lies around one is looked at.

A script in a home directory or in the system's folder for temporary files has no project, but often a
disk around it. What may belong to it lies in its own folder, of which a bounded part is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.hosting import imported_modules
from gpu2ascend_rules.text.plain.python_files import is_python

from ..files.content.notebooks import is_notebook
from ..files.discover import Entry, EntryKind, walk_near
from ..files.excludes import Excludes
from ..files.writing.copying import UnreadableError, read_file
from ..paths import exists, join
from .view import ProjectFiles

MAX_FOLDERS = 32
"""Folders that are opened, those next to the file first."""
MAX_FILES = 500
"""Files that are looked at."""
_RELATIVE = re.compile(rb"\bfrom[\s\\]*\.")


def entries_around(root: Path, files: Iterable[str], excludes: Excludes) -> Iterator[Entry]:
    """What lies in the folders of files, given relative to ``root``, and below these, nearest first.

    Of a folder that holds more than the limits, the last entry is a directory that was not entered.

    Raises:
        OSError: a folder cannot be listed.
    """
    seen: set[str] = set()
    for folder in dict.fromkeys(file.rpartition("/")[0] for file in files):
        for entry in _entries_in(root, folder, excludes):
            if entry.path not in seen:
                seen.add(entry.path)
                yield entry


def _entries_in(root: Path, folder: str, excludes: Excludes) -> Iterator[Entry]:
    for count, entry in enumerate(walk_near(root, folder, excludes, MAX_FOLDERS)):
        if count == MAX_FILES:
            yield entry._replace(kind=EntryKind.DIRECTORY)
            return
        yield entry
        if entry.kind is EntryKind.DIRECTORY:
            return


def imports_nothing_near(root: Path, file: str, max_bytes: int) -> bool:
    """Whether a file imports nothing from around it, so that no class of an unknown file can be meant."""
    try:
        data = read_file(join(str(root), file), max_bytes).data
    except UnreadableError:
        return True  # nothing of it is examined
    if not (is_notebook(file) or is_python(file, data)) or exists(
        root.joinpath(file).with_name("__init__.py")
    ):
        return False
    if _RELATIVE.search(data) is not None:
        return False
    view = ProjectFiles(root, is_complete=False)
    names = (module.decode("utf-8", "replace") for module in imported_modules(data))
    return not any(view.has_module(file, name) for name in names)
