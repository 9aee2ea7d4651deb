"""How the check of a project ends: a verdict, the findings by cause, and what to type next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Severity

from ...project.report.verdict.way import Standing
from ...texts.catalogue import Texts
from ...texts.shell import command_line
from ..formats.report import CheckReport
from ..output.causes import Cause, group_lines, number_of, worst_first
from ..output.next_commands import again, next_lines
from ..output.terminal import Terminal

_SAFE = "--fix"
_UNSAFE = "--unsafe-fixes"


class TypedCheck(NamedTuple):
    """What was typed, for commands that repeat it."""

    directory: str
    arguments: Sequence[str]
    options: Sequence[str]
    """Those of the arguments that a migration takes too."""


def check_verdict_lines(report: CheckReport, typed: TypedCheck, out: Terminal, texts: Texts) -> Iterator[str]:
    """The lines that end the check of a directory; none where nothing was found."""
    groups: dict[Standing, Counter[Cause]] = defaultdict(Counter)
    for item in report.diagnostics:
        groups[item.standing][Cause(item.severity, item.code)] += 1
    if not groups:
        return
    counts, beside = groups[Standing.ON_THE_WAY], groups[Standing.BESIDE]
    errors, warnings = number_of(Severity.ERROR, counts), number_of(Severity.WARNING, counts)
    is_only_beside = any(cause.severity in (Severity.ERROR, Severity.WARNING) for cause in beside)
    quiet = "beside" if is_only_beside else "notes"
    kind = "errors" if errors else "warnings" if warnings else quiet
    yield out.style(texts(f"cli.check.verdict-{kind}", errors=errors, warnings=warnings), "bold")
    yield from group_lines(groups, out, texts)
    worst_group = counts or beside or groups[Standing.ADVICE]
    yield from next_lines(_next(report, worst_group, typed, texts), texts)


def _next(
    report: CheckReport, counts: Counter[Cause], typed: TypedCheck, texts: Texts
) -> Iterator[tuple[str, str]]:
    """Commands, each with what it is for, the most useful first."""
    now = sum(report.is_fixable(item) for item in report.diagnostics)
    fixable = sum(item.fix is not None for item in report.diagnostics)
    if now:
        migrate = command_line(
            "gpu2ascend", "migrate", "-i", Path(typed.directory), "-o", "out", *typed.options
        )
        yield migrate, texts("cli.check.next-migrate", count=now)
    elif fixable:
        command = command_line("gpu2ascend", "check", *again(typed.arguments, _SAFE, _UNSAFE))
        yield command, texts("cli.check.next-unsafe", count=fixable)
    worst = worst_first(counts)[0][0]
    yield f"gpu2ascend explain {worst.code}", texts("cli.verdict.explain")
    if now:
        command = command_line("gpu2ascend", "check", *again(typed.arguments, _SAFE))
        yield command, texts("cli.check.next-fix", count=now)
