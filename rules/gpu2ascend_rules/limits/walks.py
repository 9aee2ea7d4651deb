"""How far a program is followed: one policy for every walk, backwards, outwards and to the callers.

Each number keeps the cost in proportion to the text. What lies beyond one is not known, never guessed.
"""

from __future__ import annotations

from typing import NamedTuple


class WalkLimits(NamedTuple):
    """Where a walk backwards ends, from a value to what gives it."""

    depth: int
    """Steps one behind the other: a name, a call, an attribute, an operand. What lies behind is unknown."""
    bases: int = 8
    """Classes one behind the other, each a base of the one before."""
    callers: int = 4
    """Functions one around the other, each called by the one before."""
    rounds: int = 6
    """Rounds of a circle of values that depend on each other; what still changes then is unknown."""


class ForwardLimits(NamedTuple):
    """Where a way forwards ends, from a text to what it is used as."""

    names: int = 8
    """Names that a value is followed through."""
    uses: int = 60
    """Uses of one name that are looked at; more add nothing."""
    values: int = 20
    """Assignments to one variable that are looked at."""
    items: int = 100
    """Items of a list, a dictionary or a call; what has more is data."""
    operands: int = 200
    """Operands and operators of a comparison."""
    sums: int = 10
    """Sums one inside the other, each the right side of the one before."""


class ProgramLimits(NamedTuple):
    """Where a word is given up that is followed through the files of a program."""

    steps: int = 4_000
    """Expressions that hold one word."""
    names: int = 12
    """Names one behind the other that a definition is looked up through."""
    bases: int = 16
    """Classes among which a method is looked for."""
    calls: int = 5
    """Calls one inside the other whose returns are matched with them."""
    uses: int = 60
    """Uses of one variable, callers of one function, reads of one field."""
    importers: int = 60
    """Files that import a class's module, or one that does, in which its fields may be read."""


class NameLimits(NamedTuple):
    """Where the look-up of a dotted name ends."""

    rebindings: int = 8
    """Plain assignments (``cuda = torch.cuda``) one behind the other."""
    reaching: int = 8
    """Bindings of a name among which the order of statements decides."""
    masks: int = 4
    """Names through which a tensor of truth values is followed back."""
    conditions: int = 3
    """Names through which the condition of a guard is followed back."""
    callers: int = 4
    """Callers one behind the other through which the end of a program is looked for."""
    dots: int = 64
    """Dots of one name."""
    computed_modules: int = 1000
    """Strings of a program that are tried as the name of a module that it imports by a computed one."""


WALK_LIMITS = WalkLimits(depth=24)
"""Within a file."""
REPEATED_WALK_LIMITS = WalkLimits(depth=12)
"""The same where values that depend on each other are looked into anew for each way that leads to them."""
PROGRAM_WALK_LIMITS = WalkLimits(depth=28)
"""Across the files of a program, where every import and every call adds a step."""
FORWARD_LIMITS = ForwardLimits()
PROGRAM_LIMITS = ProgramLimits()
NAME_LIMITS = NameLimits()
