"""Walk a project: what is in it, in a fixed order, without following a link and without holding a list."""

from __future__ import annotations

import enum
import os
import re
import stat
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.kinds.registry import kind_of_head, kind_of_name
from gpu2ascend_rules.text.plain.python_files import (
    HEAD_BYTES,
    MODULE_SUFFIXES,
    is_python,
    may_have_head,
    names_python,
)

from ..leftovers import is_leftover_name
from ..manifest.marker import FOLDER_NAME, LIST_NAME, MARKER_NAME, RESERVED_NAMES, read_marker
from ..paths import join
from ..regular_files import head_of, open_inside
from .excludes import Excludes

NOTEBOOK_SUFFIX = ".ipynb"
PYTHON_SUFFIXES = (*MODULE_SUFFIXES, NOTEBOOK_SUFFIX)
KERNEL_SUFFIXES = (".cu", ".cuh")

_TOOL_DIRECTORIES = frozenset(
    {
        *(".git", ".hg", ".svn"),
        *(".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"),
        *(".eggs", ".nox", ".tox", "node_modules"),
        FOLDER_NAME,
    }
)
"""Caches, version control and installed packages: no part of what a project consists of."""
LARGE = 100_000_000
"""Bytes from which on a file is large."""
_SAMPLE = 4096
"""Bytes that show whether a file is text at all."""
_BROKEN_TEXT = re.compile(rb"[\t\n\r\f\x20-\x7e\x80-\xff]{8}[\0\t\n\r\f\x20-\x7e\x80-\xff]*")
"""A text that somewhere holds NUL bytes and no other control character."""
_WIDE_TEXT = (b"\xff\xfe", b"\xfe\xff")
"""Marks of UTF-16 and UTF-32: text, though nearly every character has a zero byte."""
_LOOKED_AT = 5000
"""Entries of a directory that are looked at for a source; one with more may hold one."""
_ENVIRONMENT_SIGNS = ("pyvenv.cfg", "conda-meta")


class EntryKind(enum.Enum):
    """What a walk can come upon."""

    DIRECTORY = enum.auto()
    """Comes before everything in it."""
    PYTHON = enum.auto()
    """A module, a script of Python, whatever its name, or a notebook: to migrate."""
    EXCLUDED = enum.auto()
    """A Python file or notebook to keep as it is."""
    OMITTED = enum.auto()
    """What the user leaves out: neither examined nor copied. A directory is not entered."""
    KERNELS = enum.auto()
    """CUDA source: examined, and searched for kernels."""
    TEXT = enum.auto()
    """A file of another kind that there are rules for (:mod:`gpu2ascend_rules.kinds`)."""
    OTHER = enum.auto()
    """Any other regular file."""
    LINK = enum.auto()
    """A symbolic link, to whatever."""
    SPECIAL = enum.auto()
    """A pipe, socket or device. Never opened."""
    OWN = enum.auto()
    """The marker, the list or a report of an earlier migration."""
    LEFTOVER = enum.auto()
    """What a killed process of ours has left beside a file (:mod:`..leftovers`)."""
    LEFT_OUT = enum.auto()
    """A directory of tools or an environment, or git's link to one. Not entered."""
    UNREADABLE = enum.auto()
    """A directory that cannot be listed, or a name that cannot be looked at."""


EXAMINED = frozenset({EntryKind.PYTHON, EntryKind.TEXT, EntryKind.KERNELS})
"""What rules look at."""
NEVER_WRITTEN = frozenset(
    {
        *(EntryKind.SPECIAL, EntryKind.OWN, EntryKind.LEFTOVER),
        *(EntryKind.LEFT_OUT, EntryKind.UNREADABLE, EntryKind.OMITTED),
    }
)
"""What a migration does not copy."""


def may_hide_sources(entry: Entry) -> bool:
    """Whether an entry that is not examined may be, or hold, what a user takes for a source.

    That caches and version control are passed over goes without saying; a directory is an environment only
    because of a file in it.
    """
    name = entry.path.rpartition("/")[2]
    if entry.kind is EntryKind.LEFT_OUT:
        return name not in _TOOL_DIRECTORIES and name not in RESERVED_NAMES
    if entry.kind is EntryKind.SPECIAL:
        return name.lower().endswith((*PYTHON_SUFFIXES, *KERNEL_SUFFIXES))
    return entry.kind is EntryKind.UNREADABLE


def is_tools(path: str) -> bool:
    """Whether a path is that of a directory of tools or an environment, or of git's link to one."""
    return os.path.basename(path) in _TOOL_DIRECTORIES or _is_environment(path)  # noqa: PTH119


def may_be_source(root: Path, entry: Entry, *, within_tools: bool = False) -> bool:
    """Whether an entry that is left out or copied unexamined is, or holds, what would be examined.

    Args:
        within_tools: Whether directories of tools may hold such, too: what leads there is no tool's.
    """
    path = Path(join(str(root), entry.path))
    name = entry.path.rpartition("/")[2]
    if stat.S_ISDIR(_type_of(path)):
        if not within_tools and is_tools(str(path)):
            return False
        try:
            inside = list(islice(walk(path, Excludes(())), _LOOKED_AT + 1))
        except OSError:
            return True
        return len(inside) > _LOOKED_AT or any(map(_is_source, inside))
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122
    if suffix in (*PYTHON_SUFFIXES, *KERNEL_SUFFIXES):
        return True
    return stat.S_ISREG(_type_of(path)) and _kind_of_regular(str(path), entry.path) in EXAMINED


def _is_source(entry: Entry) -> bool:
    return entry.kind in EXAMINED or may_hide_sources(entry)


def _type_of(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def is_large(entry: Entry) -> bool:
    """Whether a file is so large that a second copy of it is worth a question: data, weights."""
    return entry.kind is EntryKind.OTHER and is_much(entry.size)


def is_much(size: int) -> bool:
    """Whether so many bytes of data are worth a word before they are copied."""
    return size >= LARGE


class Entry(NamedTuple):
    """One thing in a project."""

    kind: EntryKind
    path: str
    """Relative to the project's directory, with ``/``; may hold surrogates for bytes that are no UTF-8."""
    mode: int
    """Permission bits."""
    size: int


def walk(root: Path, excludes: Excludes) -> Iterator[Entry]:
    """Everything below a directory, depth first, by name.
    Raises OSError: the directory itself cannot be listed."""
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


def walk_near(root: Path, start: str, excludes: Excludes, folders: int) -> Iterator[Entry]:
    """Everything below a folder of a directory, nearest first, and at most so many folders opened.

    A directory is yielded where it is not entered for that, alone.

    Raises:
        OSError: the folder itself cannot be listed.
    """
    pending = deque(_list(str(root), start, excludes))
    opened = 1
    while pending:
        entry = pending.popleft()
        if entry.kind is EntryKind.DIRECTORY and opened < folders:
            opened += 1
            with suppress(OSError):
                pending.extend(_list(str(root), entry.path, excludes))
            continue
        yield entry


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
    reserved = RESERVED_NAMES if not relative else frozenset()
    prefix = f"{relative}/" if relative else ""
    entries = [_entry(item, prefix + item.name, excludes) for item in found]
    return [
        entry._replace(kind=_kind_of_ours(item.name, entry.kind, own, reserved))
        for item, entry in zip(found, entries, strict=True)
    ]


def _kind_of_ours(name: str, kind: EntryKind, own: frozenset[str], reserved: frozenset[str]) -> EntryKind:
    """The kind of an entry, in view of what an earlier migration left and what the next one writes."""
    if name in own and kind in (EntryKind.TEXT, EntryKind.OTHER):
        return EntryKind.OWN
    return EntryKind.LEFT_OUT if name.casefold() in reserved else kind


def _own_files(directory: str, found: list[os.DirEntry[str]]) -> frozenset[str]:
    """Names of what an earlier migration left here that is no part of the project."""
    if not any(item.name == MARKER_NAME for item in found):
        return frozenset()
    marker = read_marker(Path(directory))
    return frozenset((MARKER_NAME, LIST_NAME, *marker.reports)) if marker is not None else frozenset()


def _entry(item: os.DirEntry[str], path: str, excludes: Excludes) -> Entry:
    try:
        status = item.stat(follow_symlinks=False)
    except OSError:
        return Entry(EntryKind.UNREADABLE, path, 0, 0)
    return Entry(
        _kind(item, path, status.st_mode, excludes), path, stat.S_IMODE(status.st_mode), status.st_size
    )


def _kind(item: os.DirEntry[str], path: str, mode: int, excludes: Excludes) -> EntryKind:
    if excludes.leaves_out(path):
        return EntryKind.OMITTED
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.LEFT_OUT if _is_left_out(item) else EntryKind.DIRECTORY
    if not stat.S_ISREG(mode):
        return EntryKind.SPECIAL
    if is_leftover_name(item.name):
        return EntryKind.LEFTOVER
    if item.name == ".git":
        # A submodule's or worktree's pointer: git in the copy would write to the original repository.
        return EntryKind.LEFT_OUT
    kind = _kind_of_regular(item.path, path)
    if kind is EntryKind.OTHER or not excludes.match(path):
        return kind
    return EntryKind.EXCLUDED if kind is EntryKind.PYTHON else EntryKind.OTHER


def _kind_of_regular(place: str, path: str) -> EntryKind:
    """What rules make of a regular file, by its name or, if that says nothing, by its begin.

    Bytecode called ``dockerfile.pyc`` is no container file: what is binary is of no kind. A text with a stray
    NUL byte is broken, which is reported like that of Python.
    """
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122
    if suffix in PYTHON_SUFFIXES:
        return EntryKind.PYTHON
    if suffix in KERNEL_SUFFIXES:
        return EntryKind.KERNELS
    is_named = kind_of_name(path) is not None
    if not is_named and not may_have_head(path):
        return EntryKind.OTHER
    try:
        head = b"" if is_named else head_of(place, HEAD_BYTES)
        found = EntryKind.TEXT if is_named else _kind_of_head(path, head)
        if found is EntryKind.OTHER:
            return found  # as are most: data, of which no more is read
        sample = head_of(place, _SAMPLE)
    except OSError:
        return EntryKind.TEXT if is_named else EntryKind.OTHER  # whoever reads it says why it cannot be read
    if b"\0" in sample and not sample.startswith(_WIDE_TEXT) and _BROKEN_TEXT.fullmatch(sample) is None:
        return EntryKind.OTHER
    return found


def is_python_on_disk(root: Path, path: str) -> bool:
    """Whether a file below a directory is a module or script of Python; one that is not there is none, unless
    its name says so. Of one whose name has a suffix nothing is read."""
    if not may_have_head(path):
        return is_python(path, b"")
    try:
        with open_inside(root, root / path) as file:
            return names_python(file.read(HEAD_BYTES))
    except OSError:
        return False


def _kind_of_head(path: str, head: bytes) -> EntryKind:
    if names_python(head):
        return EntryKind.PYTHON
    is_text = kind_of_head(path, head.decode("utf-8", "replace")) is not None
    return EntryKind.TEXT if is_text else EntryKind.OTHER


def _is_left_out(item: os.DirEntry[str]) -> bool:
    return item.name in _TOOL_DIRECTORIES or _is_environment(item.path)


def _is_environment(directory: str) -> bool:
    return any(os.path.lexists(f"{directory}/{sign}") for sign in _ENVIRONMENT_SIGNS)
