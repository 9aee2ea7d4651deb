"""What a value is used as, and how several uses of one value come to one answer."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node


class Role(enum.Enum):
    """What a text that names a CUDA device, or a variable that holds one, is used as."""

    DEVICE = "device"
    """It becomes a device of torch, or chooses one."""
    TEST = "test"
    """A device, or its name, is compared with it, searched for it, or relieved of it."""
    LOOKUP = "lookup"
    """One of several back ends among which a device is looked up: ``device.type in ('cuda', 'xpu')``."""
    CHOICE = "choice"
    """One of the values that an option or an annotated parameter takes."""
    TABLE_KEY = "table-key"
    """A key of a table from device types to something."""
    MAP = "map"
    """Part of a ``map_location`` dictionary."""
    TORCH_ATTRIBUTE = "torch-attribute"
    """``hasattr(torch, 'cuda')``: the name of the module ``torch.cuda``."""
    FOREIGN = "foreign"
    """A device of another framework."""
    UNKNOWN = "unknown"
    """It goes where the file does not tell."""
    NEUTRAL = "neutral"
    """A use that tells nothing either way."""
    TEXT = "text"
    """No device: a message, a path, a label, an attribute's name, a key."""


class Verdict(NamedTuple):
    """The answer for one value."""

    role: Role
    node: Node | None = None
    """The place that decided: the call, the list, the dictionary."""
    certain: bool = True
    """Whether the place alone proves the role; if not, a person should agree to a change."""
    library: str = ""
    """For :attr:`Role.FOREIGN` the library."""


TEXT = Verdict(Role.TEXT)
NEUTRAL = Verdict(Role.NEUTRAL)
UNKNOWN = Verdict(Role.UNKNOWN, certain=False)
DEVICE = Verdict(Role.DEVICE)

_ORDER = (
    Role.DEVICE,
    Role.FOREIGN,
    Role.MAP,
    Role.TEST,
    Role.CHOICE,
    Role.LOOKUP,
    Role.TABLE_KEY,
    Role.TORCH_ATTRIBUTE,
    Role.UNKNOWN,
    Role.TEXT,
    Role.NEUTRAL,
)


def strongest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that decides among the uses of one value; a certain one before an uncertain."""
    best = NEUTRAL
    rank = (_ORDER.index(Role.NEUTRAL), True)
    for verdict in verdicts:
        own = (_ORDER.index(verdict.role), not verdict.certain)
        if own < rank:
            best, rank = verdict, own
    return best
