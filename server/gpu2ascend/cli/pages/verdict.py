"""How a migration ends: a verdict, the findings by cause, and what to type next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import attrs

from gpu2ascend_rules.model.finding import Applicability, Severity

from ...project.report.result import FileOutcome, MigrationRequest, MigrationResult
from ...project.report.verdict.verdict import State
from ...project.report.verdict.way import Standing
from ...texts.catalogue import Texts
from ...texts.shell import command_line, shell_word
from ...verify.result.usual import words_to_start
from ..output.causes import Cause, group_lines, worst_first
from ..output.next_commands import again, next_lines
from ..output.terminal import Terminal


@attrs.define
class LeftByRule:
    """The findings that a migration leaves, counted. What it holds does not grow with the project."""

    groups: dict[Standing, Counter[Cause]] = attrs.field(factory=lambda: defaultdict(Counter))
    offered: int = 0
    """Those with a fix that is made when asked for."""

    def add(self, outcome: FileOutcome) -> None:
        """Count what is left in a file."""
        for item in outcome.remaining:
            finding = item.finding
            standing = outcome.way.standing_of(finding.severity)
            self.groups[standing][Cause(finding.severity, finding.code)] += 1
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
    sentence = texts.of_usual(result.verdict.sentence())
    caution = "" if result.verdict.state is State.BLOCKED else f" {texts('report.not-run')}"
    yield out.style(sentence + caution, "bold")
    if summary.errors_on_way:
        causes = sum(cause.severity is Severity.ERROR for cause in left.groups[Standing.ON_THE_WAY])
        yield "  " + texts("cli.verdict.errors", count=summary.errors_on_way, rules=causes)
    if summary.troubled_files:
        yield "  " + texts("report.reason-troubled", count=summary.troubled_files)
    if summary.silenced:
        yield "  " + texts("report.reason-silenced", count=summary.silenced)
    yield from ("  " + texts.of(message) for message in result.verdict.details())
    yield from group_lines(left.groups, out, texts)
    yield from next_lines(_next(request, result, left, typed, texts), texts)


_GO_ON = ("--in-place", "--update")
"""With these a migration goes on where the one before it ended, and replaces nothing."""


def _once_more(typed: Sequence[str], output: Path | None) -> str:
    """The flag by which a migration can follow the one that was typed."""
    if output is None:
        return "--diff"
    return next((flag for flag in _GO_ON if flag in typed), "--force")


def _next(
    request: MigrationRequest, result: MigrationResult, left: LeftByRule, typed: Sequence[str], texts: Texts
) -> Iterator[tuple[str, str]]:
    """Commands, each with what it is for, the most useful first."""
    output = result.output_path
    if output is None:
        wanted = () if request.output != Path() else ("-o", "out")
        written = again(typed, *wanted, without=("--diff",))
        yield command_line("gpu2ascend", "migrate", *written), texts("cli.verdict.write")
    worst = worst_first(left.groups[Standing.ON_THE_WAY] or left.groups[Standing.BESIDE])[:1]
    if worst and worst[0][0].severity in (Severity.ERROR, Severity.WARNING):
        yield f"gpu2ascend explain {worst[0][0].code}", texts("cli.verdict.explain")
    if left.offered and not request.options.unsafe_fixes:
        yield (
            command_line("gpu2ascend", "migrate", *again(typed, _once_more(typed, output), "--unsafe")),
            texts("cli.verdict.unsafe", count=left.offered),
        )
    if output is None:
        return
    if "smoke" in request.options.route.steps and result.script is not None:
        script, *arguments = words_to_start(output, result.script)
        command = command_line("gpu2ascend", "verify", output, "--", PurePosixPath(script), *arguments)
        yield command, texts("cli.verdict.verify")
    if result.environment is not None:
        yield f"source ./{shell_word(result.environment)}", texts("cli.verdict.environment")
        yield "gpu2ascend doctor", texts("cli.verdict.doctor")
    for name in result.reports:
        if name.endswith(".html"):
            opened = command_line("python", "-I", "-m", "webbrowser", output / name)
            yield opened, texts("cli.verdict.page")
