"""The file by which a directory shows that a migration of ours made it.

Only a directory that bears it is ever replaced, and the reports that it lists are not taken for files of
the project when a migrated project is migrated again. Anybody can write such a file: of the names that it
lists only those count that a report could have, and the list beside it says, with digests, what may be
deleted (:mod:`.ledger`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ..paths import is_file
from ..regular_files import open_regular
from .report_names import is_report_name

MARKER_NAME = ".gpu2ascend.json"
LIST_NAME = ".gpu2ascend.files"
"""Of the list of everything that was written, which lies beside the marker."""
PLAN_NAME = ".gpu2ascend.plan"
"""Of the list of what is going to be written, as long as an output is being built."""
FOLDER_NAME = ".gpu2ascend"
"""Of the folder of what later commands read. No walk enters it."""
ORDERS_NAME = f"{FOLDER_NAME}/work-orders.json"
"""Of what the migration left, beside the marker."""
RESERVED_NAMES = frozenset({MARKER_NAME, LIST_NAME, PLAN_NAME})
"""In the top directory of an output these are ours."""
_TOOL = "gpu2ascend"
_FORMAT = 2
_MAX_BYTES = 100_000


class Marker(NamedTuple):
    """What a migration leaves in its output about itself."""

    version: str
    """Of gpu2ascend."""
    reports: tuple[str, ...]
    """Names of the files beside it that are reports and no part of the project."""
    list_digest: str | None = None
    """The SHA-256 of the list of what was written, in hexadecimal digits; None without one, as before 0.2."""
    staging: tuple[int, int] | None = None
    """While the output is being built: device and inode of the directory, which no copy of it has."""
    torch: str | None = None
    """The PyTorch version that it was made for, such as ``2.8.0``; None before 0.3."""
    target: str | None = None
    """What it was migrated to, by name; None before 0.4."""
    options: Mapping[str, object] = MappingProxyType({})
    """The options that it was made with; none before 0.5. Not validated."""
    source: str | None = None
    """What was migrated, as a path from the output; None before 0.6."""


def read_marker(directory: Path) -> Marker | None:
    """The marker of a directory; None if it bears none that we wrote."""
    try:
        with open_regular(directory / MARKER_NAME, follow=False) as file:
            content = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("tool") != _TOOL:
        return None
    return Marker(
        str(content.get("version", "")),
        _reports(content),
        _digest(content),
        _staging(content),
        _text(content, "torch"),
        _text(content, "target"),
        _options(content),
        _text(content, "source"),
    )


def aside_prefix(name: str) -> str:
    """How the name of a directory begins that holds an output while another one takes its place."""
    return f".{name}-old-"


def taken_names(directory: Path) -> Callable[[str], bool]:
    """Whether a project has a file of a name in its top directory; our earlier reports do not count."""
    marker = read_marker(directory)
    own = frozenset(marker.reports) if marker is not None else frozenset()

    def is_taken(name: str) -> bool:
        is_own = name in own and is_file(directory / name) and not (directory / name).is_symlink()
        return not is_own and os.path.lexists(directory / name)

    return is_taken


def write_marker(directory: Path, marker: Marker) -> None:
    """Put the marker into a directory. Raises OSError: it cannot be written."""
    (directory / MARKER_NAME).write_bytes(marker_bytes(marker))


def is_as_written(directory: Path, marker: Marker) -> bool:
    """Whether the file holds what we wrote into it, and nothing besides."""
    data = marker_bytes(marker)
    try:
        with open_regular(directory / MARKER_NAME, follow=False) as file:
            return file.read(len(data) + 1) == data
    except OSError:
        return False


def marker_bytes(marker: Marker) -> bytes:
    """What the file of a marker holds."""
    content: dict[str, object] = {
        "tool": _TOOL,
        "format": _FORMAT,
        "version": marker.version,
        "reports": list(marker.reports),
    }
    if marker.torch is not None:
        content["torch"] = marker.torch
    if marker.target is not None:
        content["target"] = marker.target
    if marker.source is not None:
        content["source"] = marker.source
    if marker.options:
        content["options"] = dict(marker.options)
    if marker.list_digest is not None:
        content["list"] = marker.list_digest
    if marker.staging is not None:
        content["staging"] = list(marker.staging)
    return (json.dumps(content, ensure_ascii=True, indent=2) + "\n").encode("ascii")


def _reports(content: Mapping[str, object]) -> tuple[str, ...]:
    names = content.get("reports")
    listed = names if isinstance(names, list) else []
    return tuple(name for name in listed if isinstance(name, str) and is_report_name(name))


def _digest(content: Mapping[str, object]) -> str | None:
    digest = content.get("list")
    return digest if isinstance(digest, str) and content.get("format") == _FORMAT else None


def _staging(content: Mapping[str, object]) -> tuple[int, int] | None:
    match content.get("staging"):
        case [int(device), int(inode)]:
            return device, inode
    return None


def _text(content: Mapping[str, object], key: str) -> str | None:
    value = content.get(key)
    return value if isinstance(value, str) else None


def _options(content: Mapping[str, object]) -> Mapping[str, object]:
    options = content.get("options")
    return options if isinstance(options, dict) else {}
