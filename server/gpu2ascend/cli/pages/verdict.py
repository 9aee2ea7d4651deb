"""How a migration ends: a verdict, the findings by cause, and what to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import attrs

from gpu2ascend_rules.model.finding import Applicability, Severity

from ...project.report.result import FileOutcome, MigrationRequest, MigrationResult
from ...texts.catalogue import Texts
from ...texts.shell import command_line, shell_line
from ..output.causes import Cause, cause_lines, worst_first
from ..output.next_commands import again, next_lines
from ..output.terminal import Terminal


@attrs.define
class LeftByRule:
    """The findings that a migration leaves, counted. What it holds does not grow with the project."""

    counts: Counter[Cause] = attrs.field(factory=Counter)
    offered: int = 0
    """Those with a fix that is made when asked for."""

    def add(self, outcome: FileOutcome) -> None:
        """Count what is left in a file."""
        for item in outcome.remaining:
            finding = item.finding
            self.counts[Cause(finding.severity, finding.code)] += 1
            self.offered += finding.applicability is Applicability.UNSAFE


def verdict_lines(
    request: MigrationRequest,
    result: MigrationResult,
    left: LeftByRule,
    typed: Sequence[str],
    out: Terminal,
    texts: Texts,
) -> Iterator[str]:
    """The lines that end a summary.

    Args:
        typed: The arguments of the command, which the next one repeats.
    """
    summary = result.summary
    yield out.style(_verdict(result, texts), "bold")
    if summary.errors:
        causes = sum(cause.severity is Severity.ERROR for cause in left.counts)
        yield "  " + texts("cli.verdict.errors", count=summary.errors, rules=causes)
    if summary.troubled_files:
        yield "  " + texts("report.reason-troubled", count=summary.troubled_files)
    if summary.silenced:
        yield "  " + texts("report.reason-silenced", count=summary.silenced)
    yield from cause_lines(left.counts, out, texts)
    yield from next_lines(_next(request, result, left, typed, texts), texts)


def _verdict(result: MigrationResult, texts: Texts) -> str:
    summary = result.summary
    if not summary.is_complete:
        return texts("report.verdict-blocked")
    to_decide = summary.warnings + summary.information
    state = "open" if to_decide else "migrated"
    return f"{texts(f'report.verdict-{state}', count=to_decide)} {texts('report.not-run')}"


def _next(
    request: MigrationRequest,
    result: MigrationResult,
    left: LeftByRule,
    typed: Sequence[str],
    texts: Texts,
) -> Iterator[tuple[str, str]]:
    """Commands, each with what it is for, the most useful first."""
    output = result.output_path
    if output is None:
        wanted = () if request.output != Path() else ("-o", "out")
        written = again(typed, *wanted, without=("--diff",))
        yield command_line("gpu2ascend", "migrate", *written), texts("cli.verdict.write")
    worst = worst_first(left.counts)[:1]
    if worst and worst[0][0].severity in (Severity.ERROR, Severity.WARNING):
        yield f"gpu2ascend explain {worst[0][0].code}", texts("cli.verdict.explain")
    if left.offered and not request.options.unsafe_fixes:
        flags = ("--diff", "--unsafe") if output is None else ("--force", "--unsafe")
        yield (
            command_line("gpu2ascend", "migrate", *again(typed, *flags)),
            texts("cli.verdict.unsafe", count=left.offered),
        )
    if output is None:
        return
    if "smoke" in request.options.route.steps and result.script is not None:
        command = command_line("gpu2ascend", "verify", output, "--", PurePosixPath(result.script))
        yield command, texts("cli.verdict.verify")
    if result.environment is not None:
        yield shell_line("source", output / result.environment), texts("cli.verdict.environment")
        yield "gpu2ascend doctor", texts("cli.verdict.doctor")
    for name in result.reports:
        if name.endswith(".html"):
            opened = command_line("python", "-I", "-m", "webbrowser", output / name)
            yield opened, texts("cli.verdict.page")
