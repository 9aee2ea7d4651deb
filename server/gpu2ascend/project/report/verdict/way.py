"""How a file of a project is reached by the programs of the project, and what that makes of its findings."""

from __future__ import annotations

import enum
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Severity

from ...paths import shown


class Standing(enum.Enum):
    """Whether what is found in a file can keep the training from running: the groups of every list of
    findings, in their order."""

    ON_THE_WAY = "training"
    """A program that trains reaches it, or nothing shows that none does."""
    BESIDE = "beside"
    """Only other programs, tests, CI or packaging reach it, or nothing at all."""
    ADVICE = "advice"
    """The code runs as well without it: advice and hints, wherever they are."""


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
    def is_outside(self) -> bool:
        """Whether nothing that trains reaches it."""
        return self.standing is Standing.BESIDE

    def standing_of(self, severity: Severity, *, is_advice: bool = False) -> Standing:
        """The group of a finding in the file."""
        return Standing.ADVICE if is_advice or severity is Severity.HINT else self.standing


ON_THE_WAY = Way()
"""Of a file of which nothing is known."""
