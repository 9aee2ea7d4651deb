"""What keeps a project as a whole from a target, before anything is examined or written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, option_name
from gpu2ascend_rules.similar.assemble import is_ours
from gpu2ascend_rules.targets.target import Target

from ..errors import InputError
from ..files.copying import UnreadableError, read_file
from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.notebooks import python_of
from ..paths import join, shown
from .facts.frameworks import ImportOf

_NAMED = 3
"""Files that the error lists."""


def refuse_foreign_project(root: Path, options: MigrationOptions, excludes: Excludes) -> None:
    """Look for libraries that the target has no counterpart of, and for files that are half converted.

    Only imports at the top level of a file count: others may never run. Modules of the project that have the
    name of a library are its own. The helpers that an earlier migration added know both frameworks.

    Raises:
        InputError: there are some.
    """
    target = options.route
    if not target.stops_at and not target.not_beside:
        return
    libraries: dict[str, list[str]] = {}
    mixed: list[str] = []
    own = {entry.name.removesuffix(".py") for entry in root.iterdir()} if root.is_dir() else set()
    for path, data in _python_files(root, options, excludes):
        for library in _libraries_in(data, target):
            if library in own:
                continue
            libraries.setdefault(library, []).append(path)
        if target.not_beside and _TORCH.is_in(data) and ImportOf(target.not_beside).is_in(data):
            mixed += [] if is_ours(data.decode("utf-8", "replace")) else [path]
    named = {"target": Message.of(target.title_id), "exclude": option_name("exclude")}
    if libraries:
        places = sorted({path for paths in libraries.values() for path in paths})
        message = Message.of(
            "project.foreign-library", library=", ".join(sorted(libraries)), places=_listed(places), **named
        )
        raise InputError(message)
    if mixed:
        raise InputError(
            Message.of("project.mixed-frameworks", framework=named["target"], places=_listed(mixed), **named)
        )


_TORCH = ImportOf("torch")
_IMPORT = rb"^(?:from[ \t]+|import[ \t]+(?:[^#\n]*,[ \t]*)?)"


def _python_files(root: Path, options: MigrationOptions, excludes: Excludes) -> Iterator[tuple[str, bytes]]:
    for entry in walk(root, excludes):
        if entry.kind is not EntryKind.PYTHON:
            continue
        try:
            data = read_file(join(str(root), entry.path), options.max_file_bytes).data
        except UnreadableError:
            continue  # the migration says so
        yield shown(entry.path), python_of(entry.path, data)


def _libraries_in(data: bytes, target: Target) -> Iterator[str]:
    """The libraries that a file imports at its top level."""
    for library in target.stops_at:
        word = library.encode()
        if word in data and re.search(_IMPORT + word + rb"\b", data, re.M):
            yield library


def _listed(places: list[str]) -> str:
    more = len(places) - _NAMED
    return ", ".join([*places[:_NAMED], *(["…"] if more > 0 else [])])
