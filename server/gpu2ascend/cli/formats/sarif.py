"""SARIF 2.1.0, the exchange format of static analysis (OASIS standard)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.model.finding import Severity

from ... import __version__
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, sarif_text
from ..output.diagnostics import Diagnostic, RowColumn, ShownFix
from ..output.terminal import Terminal
from .report import CheckReport, Trouble

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def write(report: CheckReport, out: Terminal, texts: Texts) -> None:
    """Write the report as a SARIF log."""
    out.document(sarif_json(report, texts))


def sarif_json(report: CheckReport, texts: Texts) -> str:
    """The report as a SARIF log of one run."""
    codes = sorted({diagnostic.code for diagnostic in report.everything})
    run = {
        "tool": {
            "driver": {
                "name": "gpu2ascend",
                "version": __version__,
                "rules": [_rule(code, report.everything, texts) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [_result(diagnostic, codes) for diagnostic in report.everything],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str, diagnostics: Sequence[Diagnostic], texts: Texts) -> dict[str, Any]:
    """A rule's metadata. Its level is the worst among its results here."""
    order = list(_LEVELS)
    worst = min((item.gravity for item in diagnostics if item.code == code), key=order.index)
    described: dict[str, Any] = {"id": code, "defaultConfiguration": {"level": _LEVELS[worst]}}
    rule = rule_by_code(code)
    if rule is None:
        return described
    documentation = rule.__doc__ or ""
    title = documentation.partition("\n")[0]
    if texts.has(f"{code}.title"):
        title = texts(f"{code}.title")
    described["name"] = rule.name
    described["shortDescription"] = {"text": title}
    described["fullDescription"] = {"text": documentation.strip()}
    described["properties"] = {"family": rule.family.value}
    return described


def _invocation(report: CheckReport) -> dict[str, Any]:
    return {
        "executionSuccessful": not report.has(Trouble.FAILED),
        "toolExecutionNotifications": [
            {
                "level": "warning" if problem.trouble is Trouble.LOST else "error",
                "message": {"text": sarif_text(problem.reason)},
                "locations": [{"physicalLocation": {"artifactLocation": _artifact(problem.path)}}],
            }
            for problem in report.problems
        ]
        + [{"level": "warning", "message": {"text": sarif_text(line)}} for line in report.silenced],
    }


def _result(diagnostic: Diagnostic, codes: Sequence[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": _LEVELS[diagnostic.gravity],
        "message": {"text": sarif_text(diagnostic.message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(diagnostic.path),
                    "region": _region_of(diagnostic),
                }
            }
        ],
    }
    way = diagnostic.way
    result["properties"] = {"onTheWay": not way.is_outside, "reachedFrom": list(way.reached_from)}
    if diagnostic.api is not None:
        result["properties"]["api"] = diagnostic.api
    if diagnostic.cell is not None:
        # SARIF knows no cells: the region is the file's lines, and the text says which cell that is. Edits
        # by cell could not be made on the file.
        result["message"] = {"text": sarif_text(f"{diagnostic.where}: {diagnostic.message}")}
    elif diagnostic.fix is not None and diagnostic.fix.edits:
        result["fixes"] = [_fix(diagnostic.fix, diagnostic.path)]
    return result


def _fix(fix: ShownFix, path: str) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(edit.start, edit.end),
            **({"insertedContent": {"text": edit.content}} if edit.content else {}),
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": sarif_text(fix.message)},
        "artifactChanges": [{"artifactLocation": _artifact(path), "replacements": replacements}],
        "properties": {"applicability": fix.applicability.value},
    }


def _region_of(diagnostic: Diagnostic) -> dict[str, int]:
    if diagnostic.file_rows is None:
        return _region(diagnostic.start, diagnostic.end)
    first, last = diagnostic.file_rows
    return {"startLine": first, "endLine": last}


def _region(start: RowColumn, end: RowColumn) -> dict[str, int]:
    return {"startLine": start.row, "startColumn": start.column, "endLine": end.row, "endColumn": end.column}


def _artifact(path: str) -> dict[str, str]:
    """Where a file is; standard input, which is nowhere, by its relative name."""
    return {"uri": path if path == "-" else Path(path).absolute().as_uri()}
