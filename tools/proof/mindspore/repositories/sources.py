"""The files of the table, and the repositories that they are from: pinned commits, fetched once."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path
from typing import NamedTuple

from ...projects import CACHE, MissingProjectError

_TABLE = Path(__file__).with_name("files.tsv")


class File(NamedTuple):
    """A file that trains by itself, or has a model that is trained here."""

    repository: str
    """Owner and name."""
    commit: str
    path: str
    model: str
    """The expression that makes the model, in the names of the file; empty for a script."""
    given: str
    """What the model is given, as shapes of floats (``2x3x32x32``) or of whole numbers below a limit
    (``9:2x5``), one after the other; for a script its arguments."""


def files() -> tuple[File, ...]:
    """All files of the table."""
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        return tuple(File(**row) for row in csv.DictReader(stream, delimiter="\t"))


def checked_out(repository: str, commit: str) -> Path:
    """The folder that holds a repository at a commit.

    Raises:
        MissingProjectError: git cannot fetch it.
    """
    target = CACHE / "repositories" / f"{repository.replace('/', '-')}-{commit[:12]}"
    if not target.is_dir():
        partial = target.with_name(f"{target.name}.partial")
        partial.mkdir(parents=True, exist_ok=True)
        _git(partial, "init", "--quiet")
        _git(partial, "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository}", commit)
        _git(partial, "checkout", "--quiet", "FETCH_HEAD")
        partial.rename(target)
    return target


def _git(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingProjectError(f"git {arguments[0]}: {done.stderr.strip()[-300:]}")
