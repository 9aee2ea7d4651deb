"""How far a value is followed: one policy for every walk backwards through a program."""

from __future__ import annotations

from typing import NamedTuple


class WalkLimits(NamedTuple):
    """Where a walk ends, so that its cost stays in proportion to the text."""

    depth: int
    """Steps one behind the other: a name, a call, an attribute, an operand. What lies behind is unknown."""


WALK_LIMITS = WalkLimits(depth=12)
"""Within a file. Real code gives a value its meaning within five steps; each further one adds doubt."""
PROGRAM_WALK_LIMITS = WalkLimits(depth=16)
"""Across the files of a program, where every import and every call adds a step."""
