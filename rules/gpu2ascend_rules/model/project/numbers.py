"""What a rule may ask about numbers that stand for devices, where other files have the answer."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Asked(enum.Enum):
    """What is asked about a place of a file."""

    GIVEN = "given"
    """What calls give for the parameter whose name begins there."""
    RETURNED = "returned"
    """What the project's function gives that the call beginning there calls."""
    USED = "used"
    """What becomes of the value of the expression there."""


class Found(enum.Enum):
    """What is found; several where it is several things."""

    NUMBER = "number"
    """A number."""
    DEVICE = "device"
    """A device or its name; of a value that is used: torch takes a device there."""
    UNKNOWN = "unknown"
    """Something of which nothing is known, or something else."""


class NumberQuestion(NamedTuple):
    """A question about a place."""

    asked: Asked
    path: str
    start: int
    end: int
    """Byte offsets."""


Numbers = frozenset[Found]
NO_NUMBERS: Numbers = frozenset()
