"""What a text is used as, in one vocabulary for every subject, and how several uses come to one answer."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node


class Role(enum.Enum):
    """What a text of some subject, or a variable that holds one, is used as; the most telling first."""

    CONSUMED = "consumed"
    """It reaches a sink of its subject: a device is made of it, a back end chosen, a command run."""
    FOREIGN = "foreign"
    """It reaches a sink of a library that is not meant."""
    MAPPING = "mapping"
    """It is part of a dictionary that maps such texts to one another: ``map_location``."""
    TEST = "test"
    """What holds such a text is compared with it, searched for it, or relieved of it."""
    OPTION = "option"
    """One of the values that an option or an annotated parameter takes."""
    MEMBER = "member"
    """One of several values among which one is looked up: ``device.type in ('cuda', 'xpu')``."""
    KEY = "key"
    """A key of a table that is looked up by such texts."""
    ATTRIBUTE = "attribute"
    """The name of an attribute that its subject has: ``hasattr(torch, 'cuda')``."""
    NAMED = "named"
    """It goes by a name of its subject; the file does not use it itself."""
    UNKNOWN = "unknown"
    """It goes where the file does not show."""
    SHOWN = "shown"
    """Nothing of its subject: a message, a path, a label, an attribute's name, a key."""
    NEUTRAL = "neutral"
    """A use that is no evidence either way."""


_RANK = {role: rank for rank, role in enumerate(Role)}
SILENT = frozenset({Role.UNKNOWN, Role.SHOWN, Role.NEUTRAL})
"""The roles of uses that do not show what a text is."""


class Verdict(NamedTuple):
    """The answer for one value."""

    role: Role
    node: Node | None = None
    """The place that decided, such as a call, a list or a dictionary; of :attr:`Role.UNKNOWN` the place up to
    which the value was followed."""
    certain: bool = True
    """Whether the place alone proves the role; if not, a person should agree to a change."""
    library: str = ""
    """For :attr:`Role.FOREIGN` the library; for :attr:`Role.UNKNOWN` one that no table lists, if any."""


SHOWN = Verdict(Role.SHOWN)
NEUTRAL = Verdict(Role.NEUTRAL)
UNKNOWN = Verdict(Role.UNKNOWN, certain=False)
CONSUMED = Verdict(Role.CONSUMED)


def strongest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that decides among the uses of one value; a certain one before an uncertain."""
    best = NEUTRAL
    rank = (_RANK[Role.NEUTRAL], True)
    for verdict in verdicts:
        own = (_RANK[verdict.role], not verdict.certain)
        names_library = own == rank and verdict.library and not best.library
        if own < rank or names_library:
            best, rank = verdict, own
    return best
