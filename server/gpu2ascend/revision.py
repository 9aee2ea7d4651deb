"""Which commit a development build is of: what a report of a bug must say."""

from __future__ import annotations

import re
import zlib
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

_WRITTEN = Path(__file__).with_name("revision.txt")
"""What the build wrote; an editable installation has none, and its checkout says it."""

_GIT = Path(__file__).parents[2] / ".git"
_COMMITTED = re.compile(rb"^committer .* (\d+) [+-]\d{4}$", re.MULTILINE)


class Revision(NamedTuple):
    """A commit, by its short name, and its day; None where a checkout has the commit in a pack."""

    commit: str
    date: str | None

    def __str__(self) -> str:
        return self.commit if self.date is None else f"{self.commit}, {self.date}"


def revision() -> Revision | None:
    """The commit of this build; None where nothing says it."""
    if not _WRITTEN.is_file():
        return _of_the_checkout(_GIT)
    match _WRITTEN.read_text(encoding="ascii").split():
        case [*_, commit, date]:
            return Revision(commit, date)
    return None


def _of_the_checkout(git: Path) -> Revision | None:
    """The commit that a checkout is at, read from git's files: no command of ours starts git for that."""
    try:
        if git.is_file():  # a work tree beside the repository
            git = git.parent / git.read_text(encoding="utf-8").partition(":")[2].strip()
        shared = git / "commondir"
        common = git / shared.read_text(encoding="utf-8").strip() if shared.is_file() else git
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        commit = _meant_by(head.removeprefix("ref: "), common) if head.startswith("ref: ") else head
    except (OSError, ValueError):
        return None
    return Revision(commit[:8], _day_of(common / "objects" / commit[:2] / commit[2:])) if commit else None


def _meant_by(reference: str, common: Path) -> str:
    """The commit of a branch; empty where there is none yet."""
    if (common / reference).is_file():
        return (common / reference).read_text(encoding="utf-8").strip()
    packed = (common / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {reference}")), "")


def _day_of(commit: Path) -> str | None:
    try:
        match = _COMMITTED.search(zlib.decompress(commit.read_bytes()))
        return datetime.fromtimestamp(int(match[1]), tz=timezone.utc).date().isoformat() if match else None
    except (OSError, ValueError, zlib.error):
        return None
