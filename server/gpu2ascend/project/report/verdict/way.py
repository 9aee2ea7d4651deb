"""How a file of a project is reached by the programs of the project: plain data."""

from __future__ import annotations

import enum
from typing import NamedTuple

from ...paths import shown


class Standing(enum.Enum):
    """Whether what a file says can keep the training from running."""

    ON_THE_WAY = "training"
    """A program that trains reaches it, or nothing shows that none does."""
    BESIDE = "beside"
    """Only other programs, tests, CI or packaging reach it, or nothing at all."""


class Way(NamedTuple):
    """How a file is reached."""

    standing: Standing = Standing.ON_THE_WAY
    reached_from: tuple[str, ...] = ()
    """The entries whose programs reach it, best first."""
    folder: str = ""
    """Of a file that no training reaches: the outermost folder around it in which none is reached, else the
    file itself."""

    def as_text(self) -> Way:
        """The same with paths that can be shown."""
        return Way(self.standing, tuple(map(shown, self.reached_from)), shown(self.folder))

    @property
    def is_beside(self) -> bool:
        """Whether nothing that trains reaches it."""
        return self.standing is Standing.BESIDE


ON_THE_WAY = Way()
"""Of a file of which nothing is known."""
