"""How a migration ends: a verdict, the findings by cause, and what to type next."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.engine.registry import rule_by_code
from gpu2ascend_rules.model.finding import Applicability, Severity

from ...project.paths import is_file, shown
from ...project.report.result import FileOutcome, MigrationRequest, MigrationResult
from ...texts.catalogue import Texts
from ..output.terminal import Terminal, table

_SCRIPTS = ("train.py", "main.py", "run.py", "tools/train.py", "scripts/train.py", "src/train.py")
"""Where a project usually has the script that trains, for a command that names one."""
_COMMANDS = 3
_ROWS = 12
"""Rules listed on a terminal; the reports have them all."""
_ORDER = tuple(Severity)


class _Cause(NamedTuple):
    severity: Severity
    code: str


@attrs.define
class LeftByRule:
    """The findings that a migration leaves, counted. What it holds does not grow with the project."""

    counts: Counter[_Cause] = attrs.field(factory=Counter)
    offered: int = 0
    """Those with a fix that is made when asked for."""

    def add(self, outcome: FileOutcome) -> None:
        """Count what is left in a file."""
        for item in outcome.remaining:
            finding = item.finding
            self.counts[_Cause(finding.severity, finding.code)] += 1
            self.offered += finding.applicability is Applicability.UNSAFE

    def in_order(self) -> list[tuple[_Cause, int]]:
        """The worst first, of those the most frequent."""
        return sorted(
            self.counts.items(), key=lambda item: (_ORDER.index(item[0].severity), -item[1], item[0].code)
        )


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
    yield from _causes(left, out, texts)
    yield texts("cli.verdict.next")
    for command, why in islice(_next(request, result, left, typed, texts), _COMMANDS):
        yield f"  # {why}"
        yield f"  {command}"


def _verdict(result: MigrationResult, texts: Texts) -> str:
    summary = result.summary
    if not summary.is_complete:
        return texts("report.verdict-blocked")
    to_decide = summary.warnings + summary.information
    state = "open" if to_decide else "migrated"
    return f"{texts(f'report.verdict-{state}', count=to_decide)} {texts('report.not-run')}"


def _causes(left: LeftByRule, out: Terminal, texts: Texts) -> Iterator[str]:
    causes = left.in_order()
    count = min(len(causes), _ROWS) if out.is_terminal else len(causes)
    rows = [
        (str(number), texts(f"cli.severity.{cause.severity.value}"), cause.code, _name(cause.code))
        for cause, number in causes[:count]
    ]
    yield from (f"  {line}" for line in table(rows, right=frozenset({0})))
    if len(causes) > count:
        yield "  " + texts("cli.verdict.more", count=len(causes) - count)


def _name(code: str) -> str:
    rule = rule_by_code(code)
    return rule.name if rule is not None else ""


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
        again = _without(typed, "--diff")
        wanted = () if request.output != Path() else ("-o", "out")
        yield _line("gpu2ascend", "migrate", *again, *wanted), texts("cli.verdict.write")
    worst = left.in_order()[:1]
    if worst and worst[0][0].severity in (Severity.ERROR, Severity.WARNING):
        yield f"gpu2ascend explain {worst[0][0].code}", texts("cli.verdict.explain")
    if left.offered and not request.options.unsafe_fixes:
        flags = ("--diff", "--unsafe") if output is None else ("--force", "--unsafe")
        given = _without(typed, *flags)
        yield _line("gpu2ascend", "migrate", *given, *flags), texts("cli.verdict.unsafe", count=left.offered)
    if output is None:
        return
    if "smoke" in request.options.route.steps:
        command = _line("gpu2ascend", "verify", shown(output), "--", _script(request, output))
        yield command, texts("cli.verdict.verify")
    if result.environment is not None:
        yield f"source {shlex.quote(shown(output / result.environment))}", texts("cli.verdict.environment")
        yield "gpu2ascend doctor", texts("cli.verdict.doctor")
    for name in result.reports:
        if name.endswith(".html"):
            yield _line("python", "-m", "webbrowser", shown(output / name)), texts("cli.verdict.page")


def _script(request: MigrationRequest, output: Path) -> str:
    given = (request.options.main_file,) if request.options.main_file else _SCRIPTS
    found = (name for name in given if is_file(output / name))
    return next(found, "train.py")


def _without(typed: Sequence[str], *flags: str) -> list[str]:
    return [word for word in typed if word not in flags]


def _line(*words: str) -> str:
    """The words as the shell of this system takes them."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
