"""What a file alone does not show about a receiver, and whom to ask.

The rules package looks at one file. An oracle of the project may know more: what a function of
another file returns, what a class of another file keeps in ``self``. That is slow, so it is never asked while
a file is checked, only afterwards and about the few members that could matter
(:mod:`gpu2ascend_rules.unresolved`).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Spot(NamedTuple):
    """A place in a file's text: line from 1, column from 0 in code points."""

    line: int
    column: int


class Question(NamedTuple):
    """What is the receiver of a member?"""

    path: str
    """The file, relative to the project."""
    member: Spot
    """Where the member's name begins."""
    name: str
    """The member's name."""
    bindings: tuple[Spot, ...] = ()
    """Where the receiver's name gets its values, when it is a name: all of them must be of the class."""


class TypeOracle(Protocol):
    """Knows the classes of values across the files of a project."""

    def class_of(self, question: Question) -> str | None:
        """The class of PyTorch whose member it is, by qualified name.

        None when that cannot be determined, empty when the receiver is something else or its own class,
        one of the project, defines the member. Only a class that leaves no other reading may be answered.
        """
