"""GitLab's Code Quality report, by which a merge request shows what it adds (docs.gitlab.com)."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path
from typing import Any

from gpu2ascend_rules.model.finding import Severity

from ...project.paths import exists, shown
from ...texts.catalogue import Texts
from ...texts.escaping import json_text
from ..output.diagnostics import Diagnostic
from ..output.terminal import Terminal
from .report import CheckReport, Trouble

_SEVERITIES = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFORMATION: "minor",
    Severity.HINT: "info",
}


def write(report: CheckReport, out: Terminal, texts: Texts) -> None:
    """Write the report as one list of issues: findings, advice, and files with a problem."""
    issues = _Issues()
    for diagnostic in report.everything:
        issues.add_diagnostic(diagnostic)
    for problem in report.problems:
        severity = Severity.WARNING if problem.trouble is Trouble.LOST else Severity.ERROR
        issues.add("gpu2ascend", problem.reason, severity, problem.path, 1)
    for line in report.silenced:
        issues.add("silenced", line, Severity.WARNING, ".", 1)
    out.document(json_text(issues.listed))


class _Issues:
    """The issues of a report, each with a fingerprint of its own."""

    def __init__(self) -> None:
        self.listed: list[dict[str, Any]] = []
        self._seen: Counter[tuple[str, ...]] = Counter()
        self._top = _top()

    def add_diagnostic(self, item: Diagnostic) -> None:
        row = item.start.row if item.file_rows is None else item.file_rows[0]
        self.add(item.code, item.message, item.gravity, item.path, row)

    def add(self, check: str, text: str, severity: Severity, path: str, row: int) -> None:
        """Add an issue. The fingerprint has no line: an issue that moves is the same issue."""
        place = _in_repository(path, self._top)
        key = (check, place, text)
        self._seen[key] += 1
        identity = "\0".join((*key, str(self._seen[key])))
        self.listed.append(
            {
                "description": f"{check}: {text}",
                "check_name": check,
                "fingerprint": hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest(),
                "severity": _SEVERITIES[severity],
                "location": {"path": place, "lines": {"begin": row}},
            }
        )


def _top() -> Path:
    """The directory that GitLab's paths count from: the repository around, and outside one the current."""
    here = Path.cwd()
    return next((place for place in (here, *here.parents) if exists(place / ".git")), here)


def _in_repository(path: str, top: Path) -> str:
    """A path of the repository; what lies elsewhere as it is."""
    place = Path(os.path.normpath(Path(path).absolute()))
    return shown(place.relative_to(top).as_posix() if place.is_relative_to(top) else Path(path).as_posix())
