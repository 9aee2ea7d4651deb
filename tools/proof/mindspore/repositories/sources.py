"""The files of the table, and the repositories that they are from: pinned commits, fetched once."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

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
