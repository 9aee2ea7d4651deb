"""Puts a run into the report page of the migration that made the project."""

from __future__ import annotations

from pathlib import Path

from ...project.manifest.amending import amend_report
from ...project.manifest.marker import read_marker
from ...project.manifest.report_names import page_among
from ...project.processes.interrupts import interrupts_deferred
from ...project.report.html.sections.verification import with_verification
from ..result.model import VerifyResult
from .page import verification_content


def fill_page(result: VerifyResult, at: float) -> Path | None:
    """Fill the page's part about a run.

    Args:
        at: When the run ended, in seconds since the epoch.

    Returns:
        The page; None where there is none, or somebody changed it.
    """
    marker = read_marker(result.project)
    name = page_among(marker.reports) if marker is not None else None
    if name is None:
        return None

    def filled(old: bytes) -> bytes | None:
        text = with_verification(old.decode("utf-8"), lambda texts: verification_content(result, at, texts))
        return text.encode("utf-8") if text is not None else None

    try:
        with interrupts_deferred():
            is_filled = amend_report(result.project, name, filled)
    except (OSError, UnicodeDecodeError):
        return None  # the page is one report of several, and no reason to lose the others
    return result.project / name if is_filled else None
