"""How far a value is followed: one policy for every walk backwards through a program."""

from __future__ import annotations

from typing import NamedTuple


class WalkLimits(NamedTuple):
    """Where a walk ends, so that its cost stays in proportion to the text."""

    depth: int
    """Steps one behind the other: a name, a call, an attribute, an operand. What lies behind is unknown."""
    bases: int = 8
    """Classes one behind the other, each a base of the one before."""


WALK_LIMITS = WalkLimits(depth=12)
"""Within a file."""
PROGRAM_WALK_LIMITS = WalkLimits(depth=16)
"""Across the files of a program, where every import and every call adds a step."""
