"""Findings counted by their cause: the table near the end of a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.model.finding import Severity

from ...project.report.verdict.way import Standing
from ...texts.catalogue import Texts
from .terminal import Terminal, table

_ROWS = 12
"""Rules listed on a terminal; the reports, and a file or a pipe, have them all."""
_ORDER = tuple(Severity)
HEADINGS = {Standing.BESIDE: "cli.verdict.beside", Standing.ADVICE: "cli.verdict.advice"}
"""The texts before the groups of findings that do not keep the training from running."""


class Cause(NamedTuple):
    """The findings of one rule that have one severity."""

    severity: Severity
    code: str


def worst_first(counts: Mapping[Cause, int]) -> list[tuple[Cause, int]]:
    """The causes by severity, of one severity the most frequent first."""
    return sorted(counts.items(), key=lambda item: (_ORDER.index(item[0].severity), -item[1], item[0].code))


def number_of(severity: Severity, counts: Counter[Cause]) -> int:
    """How many findings have the severity."""
    return sum(number for cause, number in counts.items() if cause.severity is severity)


def group_lines(groups: Mapping[Standing, Mapping[Cause, int]], out: Terminal, texts: Texts) -> Iterator[str]:
    """The causes of each group, those on the way of the training first and without a heading."""
    for standing in Standing:
        if groups.get(standing):
            if standing in HEADINGS:
                yield "  " + texts(HEADINGS[standing])
            yield from cause_lines(groups[standing], out, texts)


def cause_lines(counts: Mapping[Cause, int], out: Terminal, texts: Texts) -> Iterator[str]:
    """A line a rule and severity: how many, how severe, the code and the rule's name."""
    causes = worst_first(counts)
    shown = min(len(causes), _ROWS) if out.is_terminal else len(causes)
    rows = [
        (str(number), texts(f"cli.severity.{cause.severity.value}"), cause.code, _name(cause.code))
        for cause, number in causes[:shown]
    ]
    yield from (f"  {line}" for line in table(rows, right=frozenset({0})))
    if len(causes) > shown:
        yield "  " + texts("cli.verdict.more", count=len(causes) - shown)


def _name(code: str) -> str:
    rule = rule_by_code(code)
    return rule.name if rule is not None else ""
