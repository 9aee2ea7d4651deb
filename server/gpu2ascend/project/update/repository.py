"""Whether the repository in which an output lies is in the middle of something. git is not started."""

from __future__ import annotations

import os
from pathlib import Path

from ..regular_files import read_regular

_STATES = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
    "index.lock": "index.lock",
}
"""What git keeps in its directory while it, or a person, has not finished."""
_POINTER = b"gitdir: "
_MAX_POINTER = 4096


def unfinished_work(directory: Path) -> str | None:
    """What the innermost repository around a directory is in the middle of; None if nothing."""
    for place in (directory, *directory.parents):
        if os.path.lexists(place / ".git"):
            return state_of(_git_directory(place / ".git"))
    return None


def state_of(git_directory: Path) -> str | None:
    """What a repository is in the middle of, by its directory; None if nothing."""
    found = (state for name, state in _STATES.items() if os.path.lexists(git_directory / name))
    return next(found, None)


def _git_directory(place: Path) -> Path:
    """A repository's directory, to which a file leads in worktrees and submodules."""
    try:
        content = read_regular(place, _MAX_POINTER)
    except OSError:
        return place
    if not content.startswith(_POINTER):
        return place
    return place.parent / os.fsdecode(content[len(_POINTER) :].strip())
