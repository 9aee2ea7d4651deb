"""Which ``pyproject.toml`` files count for a file or directory: those of its project.

A file above the project is part of it only within the same repository: up to the directory that has ``.git``,
and no further. Without a repository nothing above the project's own directory counts; on the command line
that is the current one, for a file below it. And what another user
has put there does not count: in a directory that several may write to, such as ``/tmp``, anybody could.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..paths import exists, is_directory, is_file, resolved
from ..regular_files import is_of_same_user

FILE_NAME = "pyproject.toml"
_REPOSITORY = ".git"


def settings_files(start: Path, project: Path | None = None) -> Iterator[Path]:
    """The files that may hold the settings for a file or directory, the nearest first.

    Args:
        project: The project's directory, where the user has said which one that is; else of a directory
            itself, and of a file the one from which it is imported.
    """
    place = resolved(start)
    first = place if is_directory(place) else place.parent
    top = _repository_of(first) or _own_directory(first, resolved(project) if project else None, place)
    for directory in (first, *first.parents):
        path = directory / FILE_NAME
        if is_file(path) and (directory == first or is_of_same_user(path, first)):
            yield path
        if directory == top:
            return


def files_above(start: Path, project: Path | None = None) -> Iterator[Path]:
    """The files of the user above those that count, the nearest first."""
    place = resolved(start)
    first = place if is_directory(place) else place.parent
    counted = set(settings_files(start, project))
    for directory in (first, *first.parents):
        path = directory / FILE_NAME
        if path not in counted and is_file(path) and is_of_same_user(path, first):
            yield path


def _repository_of(directory: Path) -> Path | None:
    """The directory of the innermost repository, which a submodule's file ``.git`` marks, too."""
    places = (directory, *directory.parents)
    return next((above for above in places if os.path.lexists(above / _REPOSITORY)), None)


def _own_directory(first: Path, project: Path | None, start: Path) -> Path:
    if project is not None and first.is_relative_to(project):
        return project
    if start == first:
        return first
    while exists(first / "__init__.py") and first != first.parent:
        first = first.parent
    return first
