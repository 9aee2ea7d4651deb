"""Which commit a development build is of: what a report of a bug must say."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

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
    """The commit that the checkout stands at, and the day on which it came there, without starting git."""
    git = Path(__file__).parents[2] / ".git"
    try:
        if git.is_file():  # a work tree beside the repository
            git = git.parent / git.read_text(encoding="utf-8").partition(":")[2].strip()
        last = (git / "logs" / "HEAD").read_text(encoding="utf-8", errors="replace").splitlines()[-1]
        _, commit, *_, seconds, _ = last.partition("\t")[0].split()
        day = datetime.fromtimestamp(int(seconds), tz=timezone.utc).date()
    except (OSError, ValueError, LookupError):
        return ""
    return f"{commit[:8]} {day.isoformat()}"
