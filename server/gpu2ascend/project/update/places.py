"""Which output an update is about."""

from __future__ import annotations

import os
from glob import escape
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.targets.registry import known_targets

from ..errors import OutputError
from ..files.places import input_directory, output_name, refuse_overlap
from ..manifest.marker import aside_prefix, read_marker
from ..paths import resolved, shown
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


def update_target(source: Path, output: Path) -> Path:
    """The migrated project that is to be updated: the output itself, or what a migration made in it.

    Raises:
        InputError: the input cannot be used.
        OutputError: there is none, there are several, or one lies within the other.
    """
    root = input_directory(source)
    place = resolved(output)
    made = [(target, many) for target in known_targets() for many in (False, True)]
    names = dict.fromkeys(output_name(source, distributed=many, route=target) for target, many in made)
    found = [place] if read_marker(place) is not None else []
    found = found or [place / name for name in names if read_marker(place / name) is not None]
    if not found:
        _tell_aside([place.parent / place.name, *(place / name for name in names)])
        raise OutputError(Message.of("update.nothing", path=shown(output)))
    if len(found) > 1:
        several = ", ".join(shown(path.name) for path in found)
        raise OutputError(Message.of("update.several", path=shown(output), names=several))
    refuse_overlap(root, found[0])
    return found[0]


def _tell_aside(targets: list[Path]) -> None:
    """Name an output that a killed run has set aside and not put back."""
    for target in targets:
        for folder in sorted(target.parent.glob(f"{escape(aside_prefix(target.name))}*")):
            old = folder / target.name
            if read_marker(old) is not None and not os.path.lexists(target):
                raise OutputError(Message.of("update.set-aside", path=shown(target), old=shown(old)))
