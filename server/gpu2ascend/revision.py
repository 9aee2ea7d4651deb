"""Which commit a development build is of: what a report of a bug must say."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .project.errors import InputError
from .project.git.running import run_git

_WRITTEN = Path(__file__).with_name("revision.txt")
"""What the build wrote; an editable installation has none, and its checkout says it."""


class Revision(NamedTuple):
    """A commit, by its short name, and its day."""

    commit: str
    date: str


def revision() -> Revision | None:
    """The commit of this build; None where nothing says it."""
    written = _WRITTEN.read_text(encoding="ascii") if _WRITTEN.is_file() else _of_the_checkout()
    match written.split():
        case [*_, commit, date]:
            return Revision(commit, date)
    return None


def _of_the_checkout() -> str:
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        return run_git(root, "rev-list", "--max-count=1", "--pretty=format:%h %cs", "HEAD").line
    except InputError:
        return ""
