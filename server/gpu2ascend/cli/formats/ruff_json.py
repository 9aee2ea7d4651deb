"""JSON in the shape of ruff's own, so that what reads the one reads the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...project.paths import shown
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ..output.diagnostics import Diagnostic, RowColumn, ShownFix
from ..output.terminal import Terminal
from .report import CheckReport, Trouble

_START = RowColumn(1, 1)


def write(report: CheckReport, out: Terminal, texts: Texts) -> None:
    """Write the report as one list of objects."""
    out.document(report_json(report))


def report_json(report: CheckReport) -> str:
    """A list of objects: the findings and the advice, and before them, without a code, the files to which
    fixes were not written, and what the project itself silences. gpu2ascend adds ``format``, ``severity``,
    ``api``, ``on_the_way`` and ``reached_from`` to ruff's keys, and ``cell`` to an edit in a notebook, for
    the import that a fix needs may go to another cell."""
    kept = [item for item in report.problems if item.trouble is Trouble.KEPT]
    said = [
        *(_without_code("not-written", item.reason, "error", item.path) for item in kept),
        *(_without_code("silenced", line, "warning", ".") for line in report.silenced),
    ]
    listed = [*said, *(as_json(diagnostic) for diagnostic in report.everything)]
    return json_text([numbered(item) for item in listed])


def _without_code(name: str, message: str, severity: str, path: str) -> dict[str, Any]:
    return {
        "cell": None,
        "code": None,
        "name": name,
        "message": message,
        "severity": severity,
        "api": None,
        "filename": absolute(path),
        "location": _place(_START),
        "end_location": _place(_START),
        "fix": None,
        "noqa_row": None,
        "url": None,
    }


def absolute(path: str) -> str:
    """A path as programs want it; ``-``, which is no file, as it is."""
    return path if path == "-" else shown(Path(path).absolute())


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """One finding as an object."""
    return {
        "cell": diagnostic.cell,
        "code": diagnostic.code,
        "name": diagnostic.name,
        "message": diagnostic.message,
        "severity": diagnostic.severity.value,
        "api": diagnostic.api,
        "on_the_way": not diagnostic.way.is_outside,
        "reached_from": list(diagnostic.way.reached_from),
        "filename": absolute(diagnostic.path),
        "location": _place(diagnostic.start),
        "end_location": _place(diagnostic.end),
        "fix": _fix(diagnostic.fix) if diagnostic.fix is not None else None,
        "noqa_row": None,
        "url": None,
    }


def _place(place: RowColumn) -> dict[str, int]:
    return {"row": place.row, "column": place.column}


def _fix(fix: ShownFix) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.value,
        "message": fix.message,
        "edits": [
            {
                "content": edit.content,
                "location": _place(edit.start),
                "end_location": _place(edit.end),
                **({"cell": edit.cell} if edit.cell is not None else {}),
            }
            for edit in fix.edits
        ],
    }
