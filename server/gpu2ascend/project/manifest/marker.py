"""The file by which a directory shows that a migration of ours made it.

Only a directory that bears it is ever replaced, and the reports that it lists are not taken for files of
the project when a migrated project is migrated again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

MARKER_NAME = ".gpu2ascend.json"
_TOOL = "gpu2ascend"
_FORMAT = 1
_MAX_BYTES = 100_000


class Marker(NamedTuple):
    """What a migration leaves in its output about itself."""

    version: str
    """Of gpu2ascend."""
    reports: tuple[str, ...]
    """Names of the files beside it that are reports and no part of the project."""


def read_marker(directory: Path) -> Marker | None:
    """The marker of a directory; None if it bears none that we wrote."""
    path = directory / MARKER_NAME
    try:
        if path.is_symlink():
            return None
        with path.open("rb") as file:
            content = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or content.get("tool") != _TOOL:
        return None
    reports = content.get("reports")
    names = tuple(name for name in reports if isinstance(name, str)) if isinstance(reports, list) else ()
    return Marker(str(content.get("version", "")), names)


def write_marker(directory: Path, marker: Marker) -> None:
    """Put the marker into a directory.

    Raises:
        OSError: it cannot be written.
    """
    content = {
        "tool": _TOOL,
        "format": _FORMAT,
        "version": marker.version,
        "reports": list(marker.reports),
    }
    text = json.dumps(content, ensure_ascii=True, indent=2) + "\n"
    (directory / MARKER_NAME).write_text(text, encoding="utf-8", newline="\n")
