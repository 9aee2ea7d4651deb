"""Packages that a project imports and does not list, as far as a table of ours has their modules.

What a module is called is often not what its package is called, and anybody can give a package any name; so a
module that the table does not have installs nothing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from packaging.utils import canonicalize_name

from ...project.files.content.notebooks import is_notebook
from ...project.files.discover import EntryKind, walk
from ...project.files.excludes import Excludes
from ...project.regular_files import read_inside

_MOST_FILES = 2000
_MAX_BYTES = 1_000_000
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<source>[\w.]+)[ \t]+import\b|import[ \t]+(?P<names>[\w., \t]+))", re.MULTILINE
)


class _Known(NamedTuple):
    package: str
    others: frozenset[str]
    """Packages that have the module as well."""


def imported_packages(project: Path, listed: Collection[str]) -> tuple[str, ...]:
    """Packages of the table that files of a project import, in the order of the table.

    Args:
        listed: Names that the project's list has, as package indexes compare them.
    """
    modules, own = _modules_of(project)
    return tuple(
        dict.fromkeys(
            known.package
            for module, known in _table().items()
            if module.partition(".")[0] not in own
            and not known.others.union((known.package,)).intersection(listed)
            and any(f"{name}.".startswith(f"{module}.") for name in modules)
        )
    )


def has_code(project: Path, pattern: str) -> bool:
    """Whether a Python file of a project has lines that a regular expression describes."""
    wanted = re.compile(pattern.encode(), re.MULTILINE)
    return any(wanted.search(_text(project, path)) for path in _python_of(project))


def _modules_of(project: Path) -> tuple[set[str], set[str]]:
    """What a project imports, and the names of its own modules and of folders with such."""
    imported: set[str] = set()
    own: set[str] = set()
    for path in _python_of(project):
        place = PurePosixPath(path)
        own.update((place.stem, *place.parts[:-1]))
        imported.update(_imports(project, path))
    return imported, own


def _python_of(project: Path) -> Iterator[str]:
    python = (
        entry.path
        for entry in walk(project, Excludes(()))
        if entry.kind is EntryKind.PYTHON and not is_notebook(entry.path)
    )
    return itertools.islice(python, _MOST_FILES)


def _text(project: Path, path: str) -> bytes:
    try:
        return read_inside(project, project / path, _MAX_BYTES)
    except OSError:
        return b""


def _imports(project: Path, path: str) -> Iterator[str]:
    for found in _IMPORT.finditer(_text(project, path)):
        names = found["source"] or found["names"]
        yield from (name.split()[0] for name in names.decode("utf-8", "replace").split(",") if name.split())


@cache
def _table() -> dict[str, _Known]:
    text = (files("gpu2ascend.verify") / "tables" / "modules.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {
        module: _Known(package, frozenset(map(canonicalize_name, filter(None, others.split(",")))))
        for module, package, others in rows
    }
