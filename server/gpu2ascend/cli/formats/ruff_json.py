"""JSON in the shape of ruff's own, so that what reads the one reads the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...project.paths import shown
from ...texts.escaping import json_text
from ..output.diagnostics import Diagnostic, RowColumn, ShownFix


def diagnostics_json(diagnostics: Sequence[Diagnostic]) -> str:
    """A list of objects. ``severity`` and ``api`` are what gpu2ascend adds to ruff's keys, and the
    ``cell`` of an edit in a notebook, for the import that a fix needs may go to another cell."""
    return json_text([as_json(diagnostic) for diagnostic in diagnostics])


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
