"""How often each rule finds something, the most frequent first: ``check --statistics``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Severity

from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ...texts.rule_title import title_of_code
from ..output.terminal import Terminal, table
from .report import CheckReport
from .text import SEVERITY_COLOURS


class _Row(NamedTuple):
    """The findings of one rule."""

    code: str
    name: str
    severity: Severity
    found: int
    fixable: int
    """How many of them ``--fix`` makes, by the options."""


def write_statistics(report: CheckReport, out: Terminal, texts: Texts, *, as_json: bool) -> None:
    """Write a line or an object a rule; advice counts for nothing and is left out."""
    rows = _rows(report)
    if as_json:
        listed = [
            {
                "code": row.code,
                "name": row.name,
                "severity": row.severity.value,
                "count": row.found,
                "fixable": row.fixable,
            }
            for row in rows
        ]
        out.document(json_text([numbered(item) for item in listed]))
        return
    out.lines(_lines(rows, out, texts))


def _rows(report: CheckReport) -> list[_Row]:
    by_code: dict[str, _Row] = {}
    for item in report.diagnostics:
        row = by_code.get(item.code, _Row(item.code, item.name, item.gravity, 0, 0))
        worst = min(row.severity, item.gravity, key=list(Severity).index)
        fixable = row.fixable + report.is_fixable(item)
        by_code[item.code] = row._replace(severity=worst, found=row.found + 1, fixable=fixable)
    return sorted(by_code.values(), key=lambda row: (-row.found, row.code))


def _lines(rows: list[_Row], out: Terminal, texts: Texts) -> Iterator[str]:
    cells = [
        (str(row.found), row.code, "[*]" if row.fixable == row.found else "[-]" if row.fixable else "",
         title_of_code(row.code, texts))
        for row in rows
    ]  # fmt: skip
    for row, line in zip(rows, table(cells, right=frozenset({0})), strict=True):
        yield out.style(line, SEVERITY_COLOURS[row.severity])
    if not rows:
        yield out.style(texts("cli.check.clean"), "green")
    else:
        yield texts("cli.check.statistics_key")
