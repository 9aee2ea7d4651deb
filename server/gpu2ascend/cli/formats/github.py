"""Workflow commands, by which a GitHub Actions job annotates a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.model.finding import Severity

from ...project.paths import shown
from ...texts.catalogue import Texts
from ...texts.escaping import github_property, github_text
from ..output.diagnostics import Diagnostic
from ..output.terminal import Terminal
from .report import CheckReport, Trouble

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def write(report: CheckReport, out: Terminal, texts: Texts) -> None:
    """Write a workflow command a line."""
    for command in github_lines(report):
        out.document(command)


def github_lines(report: CheckReport) -> Iterator[str]:
    """One command a diagnostic, and one a file with a problem; those on the way of the training first, for
    GitHub shows a few."""
    for diagnostic in sorted(report.diagnostics, key=lambda item: item.way.is_outside):
        yield _command(diagnostic)
    for problem in report.problems:
        file = github_property(shown(problem.path))
        level = "warning" if problem.trouble is Trouble.LOST else "error"
        yield f"::{level} title=gpu2ascend,file={file}::{github_text(problem.reason)}"
    for line in report.silenced:
        yield f"::warning title=gpu2ascend::{github_text(line)}"


def _command(diagnostic: Diagnostic) -> str:
    start, end = diagnostic.start, diagnostic.end
    properties = {
        "title": f"gpu2ascend ({diagnostic.code})",
        "file": shown(diagnostic.path),
        "line": str(start.row),
        "col": str(start.column),
        "endLine": str(end.row),
    }
    if diagnostic.file_rows is not None:
        del properties["col"]
        properties["line"], properties["endLine"] = map(str, diagnostic.file_rows)
    elif start.row == end.row:
        properties["endColumn"] = str(end.column)
    else:
        # Columns mean something to GitHub only within one line.
        del properties["col"]
    listed = ",".join(f"{name}={github_property(value)}" for name, value in properties.items())
    place = f"{shown(diagnostic.path)}:{diagnostic.where}"
    text = github_text(f"{place}: {diagnostic.code} {diagnostic.message}")
    return f"::{_COMMANDS[diagnostic.gravity]} {listed}::{text}"
