"""Walk a project: what is in it, in a fixed order, without following a link and without holding a list."""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .excludes import Excludes
from .marker import MARKER_NAME, read_marker
from .paths import join

NOTEBOOK_SUFFIX = ".ipynb"
PYTHON_SUFFIXES = (".py", ".pyw", NOTEBOOK_SUFFIX)
KERNEL_SUFFIXES = (".cu", ".cuh")

_TOOL_DIRECTORIES = frozenset(
    {
        *(".git", ".hg", ".svn"),
        *(".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"),
        *(".eggs", ".nox", ".tox", "node_modules"),
    }
)
"""Caches, version control and installed packages: no part of what a project consists of."""
_ENVIRONMENT_SIGNS = ("pyvenv.cfg", "conda-meta")


class EntryKind(enum.Enum):
    """What a walk can come upon."""

    DIRECTORY = enum.auto()
    """Comes before everything in it."""
    PYTHON = enum.auto()
    """A Python file or notebook to migrate."""
    EXCLUDED = enum.auto()
    """A Python file or notebook to keep as it is."""
    KERNELS = enum.auto()
    """CUDA source: copied, and searched for kernels."""
    OTHER = enum.auto()
    """Any other regular file."""
    LINK = enum.auto()
    """A symbolic link, to whatever."""
    SPECIAL = enum.auto()
    """A pipe, socket or device. Never opened."""
    LEFT_OUT = enum.auto()
    """A directory of tools or an environment, or git's link to one. Not entered."""
    UNREADABLE = enum.auto()
    """A directory that cannot be listed, or a name that cannot be looked at."""


class Entry(NamedTuple):
    """One thing in a project."""

    kind: EntryKind
    path: str
    """Relative to the project's directory, with ``/``; may hold surrogates for bytes that are no UTF-8."""
    mode: int
    """Permission bits."""
    size: int


def walk(root: Path, excludes: Excludes) -> Iterator[Entry]:
    """Everything below a directory, depth first, by name; the reports of an earlier migration excepted.

    Raises:
        OSError: the directory itself cannot be listed.
    """
    pending: list[Iterator[Entry]] = [iter(_list(str(root), "", excludes))]
    while pending:
        entry = next(pending[-1], None)
        if entry is None:
            pending.pop()
            continue
        if entry.kind is not EntryKind.DIRECTORY:
            yield entry
            continue
        try:
            children = _list(str(root), entry.path, excludes)
        except OSError:
            yield entry._replace(kind=EntryKind.UNREADABLE)
            continue
        yield entry
        pending.append(iter(children))


def is_left_out(root: Path, relative: str) -> bool:
    """Whether a walk passes a file over for a directory on its way: of tools, an environment, or a link."""
    names = relative.split("/")[:-1]
    if any(name in _TOOL_DIRECTORIES for name in names):
        return True
    tops = [join(str(root), "/".join(names[:count])) for count in range(1, len(names) + 1)]
    return any(_is_environment(top) or os.path.islink(top) for top in tops)  # noqa: PTH114


def _list(root: str, relative: str, excludes: Excludes) -> list[Entry]:
    directory = join(root, relative)
    with os.scandir(directory) as scan:
        found = sorted(scan, key=lambda item: item.name)
    own = _own_files(directory, found)
    prefix = f"{relative}/" if relative else ""
    return [_entry(item, prefix + item.name, excludes) for item in found if item.name not in own]


def _own_files(directory: str, found: list[os.DirEntry[str]]) -> frozenset[str]:
    """Names of the marker and the reports that an earlier migration left here."""
    if not any(item.name == MARKER_NAME for item in found):
        return frozenset()
    marker = read_marker(Path(directory))
    return frozenset((MARKER_NAME, *marker.reports)) if marker is not None else frozenset()


def _entry(item: os.DirEntry[str], path: str, excludes: Excludes) -> Entry:
    try:
        status = item.stat(follow_symlinks=False)
    except OSError:
        return Entry(EntryKind.UNREADABLE, path, 0, 0)
    return Entry(
        _kind(item, path, status.st_mode, excludes), path, stat.S_IMODE(status.st_mode), status.st_size
    )


def _kind(item: os.DirEntry[str], path: str, mode: int, excludes: Excludes) -> EntryKind:
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.LEFT_OUT if _is_left_out(item) else EntryKind.DIRECTORY
    if not stat.S_ISREG(mode):
        return EntryKind.SPECIAL
    if item.name == ".git":
        # A submodule's or worktree's pointer: git in the copy would write to the original repository.
        return EntryKind.LEFT_OUT
    suffix = os.path.splitext(item.name)[1].lower()  # noqa: PTH122
    if suffix in PYTHON_SUFFIXES:
        return EntryKind.EXCLUDED if excludes.match(path) else EntryKind.PYTHON
    if suffix in KERNEL_SUFFIXES and not excludes.match(path):
        return EntryKind.KERNELS
    return EntryKind.OTHER


def _is_left_out(item: os.DirEntry[str]) -> bool:
    return item.name in _TOOL_DIRECTORIES or _is_environment(item.path)


def _is_environment(directory: str) -> bool:
    return any(os.path.lexists(f"{directory}/{sign}") for sign in _ENVIRONMENT_SIGNS)
