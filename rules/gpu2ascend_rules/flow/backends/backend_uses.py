"""What a text that names a communication back end is used as, and how several uses come to one answer."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node


class BackendUse(enum.Enum):
    """What a text that names a communication back end is used as, the most telling first."""

    BACKEND = "backend"
    """It chooses the back end of a process group, or is compared with it."""
    CHOICE = "choice"
    """One of the values that an option takes."""
    LOOKUP = "lookup"
    """One of several back ends among which one is looked up."""
    KEY = "key"
    """A key of a table from back ends to something."""
    UNKNOWN = "unknown"
    """It goes where the file does not tell."""
    NONE = "none"
    """No back end: a message, a path, an attribute's name."""


_ORDER = tuple(BackendUse)


class BackendVerdict(NamedTuple):
    """The answer for one text."""

    use: BackendUse
    node: Node | None = None
    """The list or dictionary that the text is one of."""


def strongest(verdicts: Iterable[BackendVerdict]) -> BackendVerdict:
    """The most telling of several verdicts; :attr:`BackendUse.UNKNOWN` when there is none."""
    return min(
        verdicts, key=lambda verdict: _ORDER.index(verdict.use), default=BackendVerdict(BackendUse.UNKNOWN)
    )
