"""Which projects a survey is about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ..project.errors import InputError, reason
from ..project.files.discover import EntryKind, walk
from ..project.files.excludes import Excludes
from ..project.manifest.marker import read_marker
from ..project.paths import is_directory, is_file, resolved, shown
from ..project.regular_files import NotRegularError, TooLargeError, read_regular

_LIST_BYTES = 50_000_000


def projects_of(given: Iterable[Path]) -> list[Path]:
    """The projects that arguments name, each once, in their order.

    Of a directory each direct subdirectory is one, but for hidden ones and outputs of migrations; a file is
    a list of paths, one a line, relative to the list, in which empty lines and those with a # count as none.

    Raises:
        InputError: an argument is neither, or names no project.
    """
    found: dict[Path, None] = {}
    for path in given:
        if is_directory(path):
            named = list(_below(path))
        elif is_file(path):
            named = list(_listed(path))
        else:
            raise InputError(Message.of("survey.no-place", path=shown(path)))
        if not named:
            raise InputError(Message.of("survey.no-projects", path=shown(path)))
        found.update(dict.fromkeys(resolved(project) for project in named))
    return list(found)


def _below(directory: Path) -> Iterator[Path]:
    try:
        found = sorted(directory.iterdir())
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(directory), reason=reason(error))
        ) from error
    for path in found:
        if not path.name.startswith(".") and is_directory(path) and read_marker(path) is None:
            yield path


def _listed(path: Path) -> Iterator[Path]:
    try:
        text = read_regular(path, _LIST_BYTES).decode("utf-8-sig")
    except (OSError, NotRegularError, TooLargeError, UnicodeDecodeError) as error:
        raise InputError(Message.of("survey.no-list", path=shown(path), reason=str(error))) from error
    for line in text.splitlines():
        name = line.strip()
        if name and not name.startswith("#"):
            yield path.parent / name


def fingerprint(root: Path, excludes: Excludes) -> str:
    """What changes when a file of a project does; empty where it cannot be looked at."""
    digest = hashlib.sha256()
    try:
        for entry in walk(root, excludes):
            if entry.kind in (EntryKind.DIRECTORY, EntryKind.LEFT_OUT):
                continue
            changed = (root / entry.path).lstat().st_mtime_ns
            digest.update(f"{entry.path}\0{entry.size}\0{changed}\0".encode("utf-8", "surrogateescape"))
    except OSError:
        return ""
    return digest.hexdigest()
