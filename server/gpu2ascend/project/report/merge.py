"""An update of an earlier output: what is asked of it, and what it did."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message


class Deletions(enum.Enum):
    """What becomes of files of an output that the new version has no more, and that nobody changed."""

    ASK = "ask"
    KEEP = "keep"
    FOLLOW = "follow"
    """They go."""


class UpdateRequest(NamedTuple):
    """An earlier output that a migration is merged into."""

    target: Path
    deletions: Deletions = Deletions.ASK


class Lines(NamedTuple):
    """Lines of a merged file that are in conflict, from 1, the marks included."""

    start: int
    end: int
    cell: int | None = None
    """Of a notebook: the cell, from 1, in which they are counted."""


class Conflict(NamedTuple):
    """A file that a person must look at."""

    path: str
    reason: Message
    lines: tuple[Lines, ...] = ()


@attrs.frozen(kw_only=True)
class Merge:
    """What an update did, by paths that can be shown."""

    merged: tuple[str, ...]
    """Changed by hand and by the new version, without a conflict."""
    conflicts: tuple[Conflict, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    """Old and new names, whoever gave them."""
    updated: int
    """Files that only the new version changed."""
    yours: int
    """Files that only people changed, added or removed."""
    kept_reports: tuple[str, ...]
    """Copies of reports that were changed by hand."""
