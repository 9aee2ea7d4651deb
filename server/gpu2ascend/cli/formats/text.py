"""Plain lines for people, one a cause of findings, and a summary."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from gpu2ascend_rules.model.finding import Severity

from ...project.paths import shown
from ...project.report.causes import by_cause, further_places
from ...project.report.verdict.way import Standing
from ...texts.catalogue import Texts
from ..output.causes import HEADINGS
from ..output.diagnostics import Diagnostic
from ..output.terminal import Terminal
from .report import CheckReport, MadeFix, Trouble

SEVERITY_COLOURS = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "cyan",
    Severity.HINT: "blue",
}


def write(report: CheckReport, out: Terminal, texts: Texts) -> None:
    """Write the report for people."""
    out.lines(text_lines(report, texts, out))


def text_lines(report: CheckReport, texts: Texts, terminal: Terminal) -> Iterator[str]:
    """The whole report, line by line."""
    yield from _fixed(report.fixed, texts, terminal)
    yield from diagnostic_lines(report, texts, terminal)
    yield from advice_lines(report.advice, texts, terminal)
    yield from _summary(report, texts, terminal)
    yield from (terminal.style(line, "yellow") for line in report.silenced)


def diagnostic_lines(report: CheckReport, texts: Texts, terminal: Terminal) -> Iterator[str]:
    """One line a cause, with its places, those on the way of the training first; the formats for programs
    have one entry a finding."""
    is_first = True
    for standing in Standing:
        group = [item for item in report.diagnostics if item.standing is standing]
        if group and not is_first:
            yield terminal.style(texts(HEADINGS[standing]), "bold")
        yield from _cause_lines(report, group, texts, terminal)
        is_first = is_first and not group


def _cause_lines(
    report: CheckReport, diagnostics: Sequence[Diagnostic], texts: Texts, terminal: Terminal
) -> Iterator[str]:
    def cause(diagnostic: Diagnostic) -> Hashable:
        fixable = report.is_fixable(diagnostic)
        return (diagnostic.code, diagnostic.severity, diagnostic.message, fixable)

    for first, *others in by_cause(diagnostics, cause):
        places = [f"{shown(item.path)}:{item.where}" for item in others]
        more = further_places(places, len(places), texts.language)
        yield _line(first, report.is_fixable(first), terminal) + more


def advice_lines(advice: Sequence[Diagnostic], texts: Texts, terminal: Terminal) -> Iterator[str]:
    """The chapter of what would be faster or more exact, if there is any."""
    if advice:
        yield terminal.style(texts("cli.advice.heading", count=len(advice)), "bold")
        yield from (f"  {line}" for line in diagnostic_lines(CheckReport(tuple(advice)), texts, terminal))


def _line(diagnostic: Diagnostic, is_fixable: bool, terminal: Terminal) -> str:
    path = terminal.style(shown(diagnostic.path), "bold")
    code = terminal.style(diagnostic.code, SEVERITY_COLOURS[diagnostic.severity], "bold")
    mark = f" [{terminal.style('*', 'cyan')}]" if is_fixable else ""
    return f"{path}:{diagnostic.where}: {code}{mark} {diagnostic.message}"


def _fixed(fixed: Sequence[MadeFix], texts: Texts, terminal: Terminal) -> Iterator[str]:
    path = None
    for place in fixed:
        if place.path != path:
            path = place.path
            yield texts("cli.check.fixed_file", path=terminal.style(shown(path), "bold"))
        yield f"  {place.line}: {place.code} {place.message}"


def _summary(report: CheckReport, texts: Texts, terminal: Terminal) -> Iterator[str]:
    if report.fixed:
        files = len({place.path for place in report.fixed})
        yield texts("cli.check.fixed", edits=len(report.fixed), files=files)
    problems = [item for item in report.diagnostics if item.severity is not Severity.HINT]
    hints = [item for item in report.diagnostics if item.severity is Severity.HINT]
    apart = f"{texts('cli.check.hints', count=len(hints))} {_fixable(report, hints, texts)}" if hints else ""
    if problems:
        count = len(problems)
        found = texts("cli.check.found_one" if count == 1 else "cli.check.found", count=count)
        yield f"{found} {_fixable(report, problems, texts)} {apart}".rstrip()
    elif not report.has(Trouble.FAILED, Trouble.KEPT):
        yield terminal.style(f"{texts('cli.check.clean')} {apart}".rstrip(), "green")
    elif apart:
        yield apart


def _fixable(report: CheckReport, diagnostics: Sequence[Diagnostic], texts: Texts) -> str:
    now = sum(report.is_fixable(diagnostic) for diagnostic in diagnostics)
    more = sum(diagnostic.fix is not None for diagnostic in diagnostics) - now
    if now and more:
        return texts("cli.check.fixable_both", now=now, more=more)
    if now:
        return texts("cli.check.fixable", now=now)
    if more:
        return texts("cli.check.fixable_unsafe", more=more)
    return texts("cli.check.fixable_none")
