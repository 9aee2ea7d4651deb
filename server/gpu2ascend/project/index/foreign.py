"""What keeps a project as a whole from a target, before anything is examined or written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, option_name
from gpu2ascend_rules.similar.assemble import is_ours
from gpu2ascend_rules.targets.target import Target
from gpu2ascend_rules.text.source_file import SourceFile

from ..errors import InputError
from ..files.content.notebooks import python_of
from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.writing.copying import UnreadableError, read_file
from ..paths import join, shown
from .facts.frameworks import ImportOf

_NAMED = 3
"""Files that the error lists."""


def refuse_foreign_project(root: Path, options: MigrationOptions, excludes: Excludes) -> None:
    """Look for libraries that the target has no counterpart of, and for files that are half converted.

    Imports at the top level of a file count. Others, in functions and in ``try``, may never run: they count
    where the project says that it needs the library, in its requirements or as the script that is started;
    else the rules leave their file. Modules of the project that have the name of a library are its own. The
    helpers that an earlier migration added know both frameworks.

    Raises:
        InputError: there are some.
    """
    target = options.route
    if not target.stops_at and not target.not_beside:
        return
    libraries: dict[str, list[str]] = {}
    mixed: list[str] = []
    required = _Requirements(root, options)
    own = {entry.name.removesuffix(".py") for entry in root.iterdir()} if root.is_dir() else set()
    for path, data in _python_files(root, options, excludes):
        later = (one for one in _later_in(path, data, target) if required.need(one, path, data))
        for library in {*_libraries_in(data, target), *later} - own:
            libraries.setdefault(library, []).append(path)
        mixed += [path] if _is_mixed(data, target) else []
    named = {"target": Message.of(target.title_id), "exclude": option_name("exclude")}
    if libraries:
        places = sorted(set().union(*libraries.values()))
        message = Message.of(
            "project.foreign-library", library=", ".join(sorted(libraries)), places=_listed(places), **named
        )
        raise InputError(message)
    if mixed:
        raise InputError(
            Message.of("project.mixed-frameworks", framework=named["target"], places=_listed(mixed), **named)
        )


def _is_mixed(data: bytes, target: Target) -> bool:
    """Whether a file of the user's imports torch and the target's framework."""
    if not target.not_beside or not _TORCH.is_in(data) or not ImportOf(target.not_beside).is_in(data):
        return False
    return not is_ours(data.decode("utf-8", "replace"))


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


def _later_in(path: str, data: bytes, target: Target) -> Iterator[str]:
    """The libraries that a file imports anywhere else: in a function, in ``try``, by ``import_module``."""
    if not any(one.encode() in data for one in target.stops_at):
        return
    source = SourceFile(data.decode("utf-8", "replace"), path)
    for binding in source.names.imports:
        yield from {binding.target.partition(".")[0]} & target.stops_at
    for found in _BY_NAME.finditer(source.data):
        node = source.node_at(found.start(), found.end())
        if node is not None and node.type not in ("comment", "string", "string_content"):
            yield from {found[1].decode()} & target.stops_at


_BY_NAME = re.compile(rb"\b(?:import_module|__import__)\(\s*[\"']([A-Za-z_]\w*)[\w.]*[\"']")
_SCRIPT = re.compile(rb"^if\s+__name__\s*==\s*[\"']__main__[\"']", re.M)
_OPTIONAL = re.compile(
    rb"^[ \t]*except\s+\(?(?:Import|ModuleNotFound)Error\b|^[ \t]*except\s*(?:Exception\b.*)?:", re.M
)
_LISTS = (
    "requirements*.txt",
    "requirements/*.txt",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "environment*.y*ml",
)


class _Requirements:
    """What a project says that it needs."""

    def __init__(self, root: Path, options: MigrationOptions) -> None:
        self._main = options.main_script
        paths = sorted({path for pattern in _LISTS for path in root.glob(pattern)}) if root.is_dir() else []
        self._lists = b"\n".join(_without_remarks(path, options.max_file_bytes) for path in paths)

    def need(self, library: str, path: str, data: bytes) -> bool:
        """Whether a library that a file imports somewhere is needed: it is listed, or the file is started."""
        name = rb"[-_.]?".join(re.escape(part) for part in library.encode().split(b"_"))
        listed = rb"(?:^|[\s\"'=,\[-])" + name + rb"(?:-full)?(?=$|[\s\[\]<>=!~;,\"'#@])"
        if re.search(listed, self._lists, re.M | re.I) is not None:
            return True
        is_started = path == self._main or _SCRIPT.search(data) is not None
        return is_started and _OPTIONAL.search(data) is None


def _without_remarks(path: Path, most: int) -> bytes:
    try:
        data = read_file(str(path), most).data
    except UnreadableError:
        return b""
    return re.sub(rb"(?m)(?:^|[ \t])#.*$", b"", data)


def _listed(places: list[str]) -> str:
    more = len(places) - _NAMED
    return ", ".join([*places[:_NAMED], *(["…"] if more > 0 else [])])
