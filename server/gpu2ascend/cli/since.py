"""``check --since``: of what a check found, what is in lines that a change touches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..project.git.touched import touched_since
from ..project.report.hunks import Touched
from .formats.report import CheckReport
from .output.diagnostics import Diagnostic


class OfChange(NamedTuple):
    """A report of a change, and how much is not in it."""

    report: CheckReport
    findings: int
    """Findings in lines that did not change."""
    files: int
    """Files with a problem that did not change."""


def of_change(report: CheckReport, ref: str, paths: Sequence[str], limit: int) -> OfChange:
    """What a report has of the change since a commit.
    Raises InputError: there is no git, no repository, no such commit, or history is missing."""
    files = {item.path for item in report.everything} | {item.path for item in report.problems}
    touched = touched_since(ref, [Path(path) for path in paths], sorted(files), limit)
    found = tuple(item for item in report.diagnostics if _is_in(item, touched[item.path]))
    advice = tuple(item for item in report.advice if _is_in(item, touched[item.path]))
    problems = tuple(item for item in report.problems if touched[item.path].is_changed)
    return OfChange(
        report._replace(diagnostics=found, advice=advice, problems=problems),
        len(report.everything) - len(found) - len(advice),
        len(report.problems) - len(problems),
    )


def _is_in(item: Diagnostic, touched: Touched) -> bool:
    return touched.touches(*(item.file_rows or (item.start.row, item.end.row)))
