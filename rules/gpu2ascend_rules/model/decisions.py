"""What is decided about the words of a project that must change together, as plain data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple


class Outcome(enum.Enum):
    """What becomes of the words of a unit."""

    MOVES = "moves"
    """Each of them becomes the NPU's word."""
    STAYS = "stays"
    """Each of them remains as it is."""
    DIVIDED = "divided"
    """Some of their uses need the NPU's word and others CUDA's; nothing is changed."""


class Place(NamedTuple):
    """A place of the project."""

    path: str
    line: int
    """From 1."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Decision(NamedTuple):
    """What becomes of one word, and the reason."""

    outcome: Outcome
    is_widened: bool = False
    """Whether the word is one of a list or type that gets the NPU's word beside it."""
    takes: tuple[Place, ...] = ()
    """The places that take the NPU's word."""
    refuses: tuple[Place, ...] = ()
    """The places that have no NPU."""
    words: tuple[Place, ...] = ()
    """The words of the unit, sorted; those beyond a limit are left out."""
    unknown: tuple[Place, ...] = ()
    """The places behind which the word could not be followed."""
    is_served: bool = False
    """Whether it stays because its program takes the NPU's word already."""


class FileDecisions(NamedTuple):
    """The decisions about one file."""

    size: int = 0
    """Of the text in bytes that they are about; another text has none."""
    digest: int = 0
    words: Mapping[int, Decision] = {}
    """By the byte offset at which the string begins."""


NO_DECISIONS = FileDecisions()


class ProjectDecisions(NamedTuple):
    """What is decided about a project."""

    files: Mapping[str, FileDecisions] = {}
    """By path; files without decisions are left out."""
    options: Mapping[str, frozenset[str]] = {}
    """The words that options of command lines no longer take, by their flags, such as ``--backend``."""


NOTHING_DECIDED = ProjectDecisions()
