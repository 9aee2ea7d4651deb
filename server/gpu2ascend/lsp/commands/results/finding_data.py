"""Findings as the plain data of the project commands' results; docs/lsp.md describes them."""

from __future__ import annotations

from functools import cache
from typing import Any

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex

from ....project.report.verdict.way import ON_THE_WAY, Way

JsonObject = dict[str, Any]


def finding_data(
    finding: Finding,
    path: str,
    file: str,
    place: JsonObject,
    language: str,
    cell: int | None = None,
    way: Way = ON_THE_WAY,
) -> JsonObject:
    """A finding in a file of a project; ``place`` is its range there, or in a cell of a notebook."""
    return {
        "code": finding.code,
        "message": render(finding.message, language),
        "severity": finding.severity.value,
        "kind": finding.kind,
        "family": _family(finding.code),
        "rule": _name(finding.code),
        "api": finding.api,
        "applicability": finding.applicability.value,
        "path": path,
        "file": file,
        "range": place,
        "cell": cell,
        "onTheWay": not way.is_outside,
        "reachedFrom": list(way.reached_from),
    }


def range_data(lines: LineIndex, start: int, end: int, unit: ColumnUnit) -> JsonObject:
    """The range of byte offsets, in the columns that the client counts."""
    return {"start": _position(lines, start, unit), "end": _position(lines, end, unit)}


def line_range(start: int, end: int) -> JsonObject:
    """The range of whole lines, counted from 0, both included; for a file that cannot be looked at."""
    return {"start": {"line": start, "character": 0}, "end": {"line": end + 1, "character": 0}}


def _position(lines: LineIndex, offset: int, unit: ColumnUnit) -> JsonObject:
    line, character = lines.position(offset, unit)
    return {"line": line, "character": character}


@cache
def _name(code: str) -> str:
    rule = rule_by_code(code)
    return rule.name if rule is not None else ""


@cache
def _family(code: str) -> str:
    rule = rule_by_code(code)
    return rule.family.value if rule is not None else ""
