"""What becomes of each path: decided before anything is touched."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import attrs

from ..manifest.base import Base, Kept
from ..manifest.ledger import DIRECTORY, FILE
from ..report.renames import Read, renamed
from .entries import Present, text_in
from .notebooks import merge_notebooks
from .texts import Merged, merge_text

NOTEBOOK = ".ipynb"
Entries = Mapping[str, Kept]


class Take(enum.Enum):
    """Whose version a path has in the result."""

    THEIRS = enum.auto()
    """That of the new migration, or nothing."""
    OURS = enum.auto()
    """That of the output, or nothing."""
    MERGED = enum.auto()
    BOTH = enum.auto()
    """Ours, and theirs beside it: what cannot be merged by lines."""


class Reason(enum.Enum):
    """Why a path is in conflict."""

    LINES = "lines"
    """Both changed the same lines."""
    CONTENT = "content"
    """Both changed what has no lines."""
    GONE = "gone"
    """Changed by hand, and the new version has it no more."""
    REMOVED = "removed"
    """Removed by hand, and changed by the new version."""
    NAMES = "names"
    """Both gave it another name."""


class Three(NamedTuple):
    """One file in its three versions, each under the name that it has there; None where it is not."""

    path: str
    """In the result."""
    base: str | None
    ours: str | None
    theirs: str | None


@attrs.frozen
class Decided:
    """What becomes of a file."""

    three: Three
    take: Take
    merged: Merged | None = None
    conflict: Reason | None = None


@attrs.frozen
class Sides:
    """The three versions of a project."""

    base: Base
    ours: Present
    theirs: Base
    """What the new migration wrote."""
    output: Path
    staging: Path

    def text_of_ours(self, path: str) -> bytes | None:
        """A text of the output."""
        return text_in(self.output, path)

    def text_of_theirs(self, path: str) -> bytes | None:
        """A text of the new migration."""
        return text_in(self.staging, path)

    def kept(self, three: Three) -> tuple[Kept | None, Kept | None, Kept | None]:
        """The entries of a file."""
        sides: tuple[Entries, ...] = (self.base.entries, self.ours.entries, self.theirs.entries)
        names = (three.base, three.ours, three.theirs)
        base, ours, theirs = (
            side.get(name) if name is not None else None for side, name in zip(sides, names, strict=True)
        )
        return base, ours, theirs


def clashes(sides: Sides) -> Iterator[str]:
    """Paths that the new version and the output have as something else, of which one is a directory."""
    base, ours, theirs = sides.base.entries, sides.ours.entries, sides.theirs.entries
    for path in sorted(ours.keys() & theirs.keys()):
        kinds = {ours[path].kind, theirs[path].kind}
        if len(kinds) > 1 and (DIRECTORY in kinds or not _is_same(base.get(path), ours[path])):
            yield path
    yield from (path for path in sides.ours.carried if path in theirs)


def planned(sides: Sides) -> tuple[list[Decided], dict[str, str]]:
    """What becomes of each file and link, and new names by old ones."""
    new_names = _renames(sides)
    decided = [_decided(sides, three) for three in _threes(sides, *new_names)]
    return decided, {**new_names[0], **new_names[1]}


def _renames(sides: Sides) -> tuple[dict[str, str], dict[str, str]]:
    """What the user renamed, and what the new version has under another name."""
    files = _files(sides.base.entries)
    return (
        _renamed(files, _files(sides.ours.entries), sides, sides.text_of_ours),
        _renamed(files, _files(sides.theirs.entries), sides, sides.text_of_theirs),
    )


def _renamed(base: Entries, side: Entries, sides: Sides, read: Read) -> dict[str, str]:
    lost = {path: kept.digest for path, kept in base.items() if path not in side}
    found = {path: kept.digest for path, kept in side.items() if path not in base}
    return renamed(lost, found, sides.base.text, read) if lost and found else {}


def _files(entries: Entries) -> dict[str, Kept]:
    return {path: kept for path, kept in entries.items() if kept.kind == FILE}


def _threes(sides: Sides, of_ours: dict[str, str], of_theirs: dict[str, str]) -> Iterator[Three]:
    """Each file once, with its names on the three sides."""
    base, ours, theirs = map(_leaves, (sides.base.entries, sides.ours.entries, sides.theirs.entries))
    for old in sorted(of_theirs.keys() | of_ours.keys()):
        mine = of_ours.get(old, old if old in ours else None)
        other = of_theirs.get(old, old if old in theirs else None)
        new = of_ours.get(old) or of_theirs[old]
        is_taken = (new in ours and new != mine) or (new in theirs and new != other)
        if not is_taken:  # otherwise another file has that name on the other side
            yield Three(new, old, mine, other)
            base.discard(old)
            ours.discard(mine or "")
            theirs.discard(other or "")
    for path in sorted(base | ours | theirs):
        yield Three(path, *(path if path in side else None for side in (base, ours, theirs)))


def _leaves(entries: Entries) -> set[str]:
    return {path for path, kept in entries.items() if kept.kind != DIRECTORY}


def _decided(sides: Sides, three: Three) -> Decided:
    base, ours, theirs = sides.kept(three)
    is_ours_changed, is_theirs_changed = not _is_same(base, ours), not _is_same(base, theirs)
    names = {three.ours, three.theirs} - {None, three.base}
    conflict = Reason.NAMES if len(names) > 1 else None
    if not is_ours_changed or _is_same(ours, theirs):
        return Decided(three, Take.THEIRS, conflict=conflict)
    if ours is None:
        return Decided(three, Take.OURS, conflict=Reason.REMOVED if is_theirs_changed else None)
    if theirs is None:
        return Decided(three, Take.OURS, conflict=Reason.GONE if base is not None else None)
    if not is_theirs_changed:
        return Decided(three, Take.OURS, conflict=conflict)
    merged = _merged(sides, three)
    if merged is None:
        return Decided(three, Take.BOTH, conflict=Reason.CONTENT)
    return Decided(three, Take.MERGED, merged, Reason.LINES if merged.conflicts else conflict)


def _merged(sides: Sides, three: Three) -> Merged | None:
    base = sides.base.text(three.base) if three.base is not None else b""
    ours = sides.text_of_ours(three.ours) if three.ours is not None else None
    theirs = sides.text_of_theirs(three.theirs) if three.theirs is not None else None
    if base is None or ours is None or theirs is None or _is_link(sides, three):
        return None
    done = merge_notebooks(base or b'{"cells": []}', ours, theirs) if three.path.endswith(NOTEBOOK) else None
    return done or merge_text(base, ours, theirs)


def _is_link(sides: Sides, three: Three) -> bool:
    return any(kept is not None and kept.kind != FILE for kept in sides.kept(three))


def _is_same(one: Kept | None, other: Kept | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.kind, one.digest) == (other.kind, other.digest)
