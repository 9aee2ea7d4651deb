"""An entry of a project: plain data."""

from __future__ import annotations

import enum
from typing import NamedTuple


class EntryKind(enum.Enum):
    """What a program is for, the kind that a migration is made for first."""

    TRAINING = "training"
    """It contains or reaches an optimizer step, a backward pass or a trainer's fit."""
    OTHER = "other"
    """Serving, export, evaluation, conversion, preparation of data."""
    TESTS = "tests"
    PACKAGING = "packaging"


class Entry(NamedTuple):
    """A file that starts a program."""

    path: str
    """Relative to the project, with ``/``, as the system has it."""
    kind: EntryKind
    started_by: tuple[str, ...] = ()
    """The scripts, container files, documents and packaging files that start it, in order."""
