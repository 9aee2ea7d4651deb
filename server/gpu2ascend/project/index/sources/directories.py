"""Which directory is the project of a file."""

from __future__ import annotations

from pathlib import Path

from ...paths import exists
from ...regular_files import is_of_same_user

_PROJECT_SIGNS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "environment.yml", ".git")


def marked_directory(file: Path) -> Path | None:
    """The nearest directory around a file that has the sign of a project; None where the file is in none."""
    for directory in file.parents:
        signs = (directory / sign for sign in _PROJECT_SIGNS)
        is_near = directory == file.parent
        if any(exists(sign) and (is_near or is_of_same_user(sign, file.parent)) for sign in signs):
            return directory
    return None


def project_directory(file: Path) -> Path:
    """The directory of the project that a file belongs to; without any sign of one, its package's.

    What another user has put into a directory above is no sign.
    """
    marked = marked_directory(file)
    if marked is not None:
        return marked
    directory = file.parent
    while exists(directory / "__init__.py") and directory != directory.parent:
        directory = directory.parent
    return directory
