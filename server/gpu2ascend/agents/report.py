"""What a migration changed, short: from the marker and the list of changes that it wrote."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

from ..project.inspect.handover import migrated_directory
from ..project.manifest.marker import Marker, read_marker
from ..project.regular_files import read_inside

_LARGEST = 8_000_000
_FILES = 30
_CHANGES = "change_list"
"""The beginning of the name of the list of changes."""


def report_of(directory: Path) -> str | None:
    """The report of a migrated project as Markdown; None for a directory that no migration wrote."""
    directory = migrated_directory(directory)
    marker = read_marker(directory)
    if marker is None:
        return None
    made_for = f"Made for PyTorch {marker.torch} by gpu2ascend {marker.version} from `{marker.source}`."
    edits = _edits(directory, marker)
    by_rule = Counter(code for _, code in edits).most_common()
    by_file = Counter(path for path, _ in edits).most_common()
    lines = [f"# {directory.name}", "", made_for, "", f"Edits: {len(edits)} in {len(by_file)} files.", ""]
    lines += [f"- {code}: {count}" for code, count in by_rule]
    lines += ["", "## Files", "", *(f"- `{path}`: {count}" for path, count in by_file[:_FILES])]
    lines += [f"- and {len(by_file) - _FILES} more"] if len(by_file) > _FILES else []
    return "\n".join([*lines, "", f"Reports beside the code: {', '.join(marker.reports)}"])


def _edits(directory: Path, marker: Marker) -> list[tuple[str, str]]:
    """The path and the rule of each edit; none where the list cannot be read."""
    name = next((item for item in marker.reports if item.startswith(_CHANGES)), None)
    if name is None:
        return []
    try:
        text = read_inside(directory, directory / name, _LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return []
    rows = list(csv.reader(io.StringIO(text)))[1:]
    return [(row[0], row[-1].partition(" ")[0]) for row in rows if len(row) > 1]
