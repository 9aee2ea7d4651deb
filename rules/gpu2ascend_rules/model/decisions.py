"""What is decided about the words of a project that must change together, as plain data."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple


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
    served: tuple[Place, ...] = ()
    """The places at which the NPU's word stands already."""
    library: str = ""
    """A library that has no NPU, to which it is given."""

    @property
    def waits_for_choice(self) -> bool:
        """Whether it stays because whoever starts the program may choose the NPU's word instead."""
        return self.outcome is Outcome.STAYS and bool(self.served) and bool(self.takes)

    @property
    def places_as_text(self) -> Mapping[str, Any]:
        """The places of what takes it, refuses it and is decided with it, as messages name them."""
        named = {"takes": self.takes, "refuses": self.refuses, "words": self.words}
        return {name: ", ".join(map(str, places)) for name, places in named.items()}


class FileDecisions(NamedTuple):
    """The decisions about one file."""

    size: int = 0
    """Of the text in bytes that they are about; another text has none."""
    digest: int = 0
    words: Mapping[int, Decision] = {}
    """By the byte offset at which the string begins."""


NO_DECISIONS = FileDecisions()
