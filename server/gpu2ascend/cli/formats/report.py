"""What every output format is made from."""

from __future__ import annotations

from typing import NamedTuple

from gpu2ascend_rules.model.finding import Applicability

from ..output.diagnostics import Diagnostic


class FileProblem(NamedTuple):
    """A file that could not be checked, or only in part, and why."""

    path: str
    reason: str
    traceback: str = ""
    """Of a defect of ours, if that was asked for."""


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
    """Whether ``--fix`` would make unsafe fixes too, as the options stand."""
    matched: frozenset[int] = frozenset()
    """The user's own rules, by index, that match something."""

    advice: tuple[Diagnostic, ...] = ()
    """What would be faster or more exact: a chapter that counts for nothing."""

    silenced: tuple[str, ...] = ()
    """What the project itself keeps from being examined or reported, a line each."""

    @property
    def everything(self) -> tuple[Diagnostic, ...]:
        """The findings and the advice, for formats that are one list."""
        return (*self.diagnostics, *self.advice)

    def is_fixable(self, diagnostic: Diagnostic) -> bool:
        """Whether ``--fix`` makes the diagnostic's fix, as the options stand."""
        return diagnostic.fix is not None and (
            self.unsafe_fixes or diagnostic.fix.applicability is Applicability.SAFE
        )
