"""JUnit's XML, which most CI systems show as the results of tests."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from gpu2ascend_rules.messages.visible import visible

from ...project.paths import shown
from ...texts.catalogue import Texts
from ..output.diagnostics import Diagnostic
from ..output.terminal import Terminal
from .report import CheckReport, FileProblem


def write(report: CheckReport, out: Terminal, texts: Texts) -> None:
    """Write a test suite a file, a failed test a finding; one that passed where there is nothing to say."""
    suites = [
        _suite(path, map(_failure, of_file))
        for path, of_file in groupby(report.diagnostics, lambda item: item.path)
    ]
    suites += [_suite(problem.path, [_error(problem)]) for problem in report.problems]
    suites += [_suite("gpu2ascend", [_case("silenced", ".", line, "error")]) for line in report.silenced]
    if not suites:
        suites = [_suite("gpu2ascend", ['<testcase name="gpu2ascend" classname="gpu2ascend"/>'])]
    out.document('<?xml version="1.0" encoding="UTF-8"?>')
    out.document("\n".join(['<testsuites name="gpu2ascend">', *suites, "</testsuites>"]))


def _suite(path: str, cases: Iterable[str]) -> str:
    listed = list(cases)
    failures = sum("<failure" in case for case in listed)
    errors = sum("<error" in case for case in listed)
    counts = f'tests="{len(listed)}" failures="{failures}" errors="{errors}"'
    return "\n".join([f"<testsuite name={_quoted(shown(path))} {counts}>", *listed, "</testsuite>"])


def _failure(item: Diagnostic) -> str:
    place = f"{shown(item.path)}:{item.where}"
    row = item.start.row if item.file_rows is None else item.file_rows[0]
    name = f"{item.code} {item.where}"
    return _case(name, item.path, f"{item.gravity.value}: {item.message}", "failure", place, row)


def _error(problem: FileProblem) -> str:
    return _case("file", problem.path, problem.reason, "error")


def _case(name: str, path: str, text: str, kind: str, place: str = "", row: int | None = None) -> str:
    line = "" if row is None else f" line={_quoted(str(row))}"
    body = escape(_plain(f"{place}: {text}" if place else text))
    head = f"<testcase name={_quoted(name)} classname={_quoted(shown(path))}{line}>"
    return f"{head}<{kind} message={_quoted(text)}>{body}</{kind}></testcase>"


def _quoted(text: str) -> str:
    return quoteattr(_plain(text))


def _plain(text: str) -> str:
    """A text without the control characters that XML 1.0 forbids."""
    return visible(text, keep="\n\t")
