"""What every output format is made from."""

from __future__ import annotations

import enum
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Applicability

from ..output.diagnostics import Diagnostic


class Trouble(enum.Enum):
    """What a problem with a file means."""

    FAILED = enum.auto()
    """It could not be checked, or only in part, or not be written."""
    KEPT = enum.auto()
    """It was checked, and its fixes were not written: it was left to whoever changed or protected it."""
    LOST = enum.auto()
    """It was fixed, and something that it has beside its content could not be kept."""


class FileProblem(NamedTuple):
    """What is wrong with a file as a whole."""

    path: str
    reason: str
    traceback: str = ""
    """Of a defect of ours, if that was asked for."""
    trouble: Trouble = Trouble.FAILED


class MadeFix(NamedTuple):
    """An edit that ``--fix`` made, by the line it had before."""

    path: str
    line: int
    code: str
    message: str


class CheckReport(NamedTuple):
    """The result of a check, or what is left after its fixes."""

    diagnostics: tuple[Diagnostic, ...]
    problems: tuple[FileProblem, ...] = ()
    fixed: tuple[MadeFix, ...] = ()
    unsafe_fixes: bool = False
    """Whether ``--fix`` would make unsafe fixes too, by the options."""
    matched: frozenset[int] = frozenset()
    """The user's own rules, by index, that match something."""

    tracebacks: tuple[str, ...] = ()
    """Of defects of ours that cost a file some findings or fixes only, if that was asked for."""

    advice: tuple[Diagnostic, ...] = ()
    """What would be faster or more exact: a chapter that counts for nothing."""

    silenced: tuple[str, ...] = ()
    """What the project itself keeps from being examined or reported, a line each."""

    def has(self, *troubles: Trouble) -> bool:
        """Whether some file has one of these troubles."""
        return any(problem.trouble in troubles for problem in self.problems)

    @property
    def everything(self) -> tuple[Diagnostic, ...]:
        """The findings and the advice, for formats that are one list."""
        return (*self.diagnostics, *self.advice)

    def is_fixable(self, diagnostic: Diagnostic) -> bool:
        """Whether ``--fix`` makes the diagnostic's fix, by the options."""
        return diagnostic.fix is not None and (
            self.unsafe_fixes or diagnostic.fix.applicability is Applicability.SAFE
        )
