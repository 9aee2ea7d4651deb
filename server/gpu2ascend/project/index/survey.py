"""The first look at a project: how much there is to do, and what its files define."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from gpu2ascend_rules.hosting import may_concern
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import LargeFiles
from gpu2ascend_rules.options.options import MigrationOptions, option_name

from ..errors import CancelledError
from ..files.content.notebooks import python_of
from ..files.discover import Entry, EntryKind, is_large, is_much, walk
from ..files.excludes import Excludes
from ..files.writing.copying import MAX_BYTES, UnreadableError, read_file
from ..paths import join, shown, size_text
from .facts.facts import FactsBuilder, ProjectFacts
from .facts.file_facts import facts_of

_FILES = frozenset({EntryKind.PYTHON, EntryKind.EXCLUDED, EntryKind.KERNELS, EntryKind.TEXT, EntryKind.OTHER})
_HIDDEN = frozenset({EntryKind.OMITTED, EntryKind.LINK})
_WORTH_A_WORKER = 400_000
"""Bytes of concerned source: about the time that a process takes to come up."""
_NAMED = 3
"""Large files, and folders of many small ones, that a notice lists."""
_IDLE_SHARE = 8
"""A file without a trigger word is only parsed, which costs about this many times less."""


class LargeData(NamedTuple):
    """The large files of a project that nothing is changed in."""

    number: int = 0
    size: int = 0
    """In bytes, together."""
    names: tuple[str, ...] = ()
    """The first of them."""

    def with_file(self, entry: Entry) -> LargeData:
        """One more."""
        names = self.names if len(self.names) >= _NAMED else (*self.names, entry.path)
        return LargeData(self.number + 1, self.size + entry.size, names)


class SmallData(NamedTuple):
    """Files that are copied as they are and that are not large, each; together they may be."""

    number: int
    size: int
    """In bytes, together."""
    folders: tuple[tuple[str, int], ...]
    """The top folders with the most of it, each with its bytes; the project itself is ``.``."""


class Survey(NamedTuple):
    """What a walk over a project counted."""

    files: int
    python_files: int
    work: int
    """Bytes of source, weighted by what they will cost."""
    facts: ProjectFacts
    """What the files define and pass on."""
    is_complete: bool = True
    """Whether these are all files that belong together."""
    large: LargeData = LargeData()
    small: SmallData = SmallData(0, 0, ())


class SurveyListener(Protocol):
    """Who wants to know what a survey reads anyway."""

    def add_python(self, path: str, python: bytes) -> None:
        """A Python file or notebook, by its Python."""

    def add_other(self, root: Path, entry: Entry) -> None:
        """A file that is no Python and that the survey does not read."""

    def add_hidden(self, entry: Entry) -> None:
        """A link, or what the user leaves out: imports may lead there, and nothing there is read."""


class _NoListener:
    """Nobody who wants to know."""

    def add_python(self, path: str, python: bytes) -> None: ...

    def add_other(self, root: Path, entry: Entry) -> None: ...

    def add_hidden(self, entry: Entry) -> None: ...


def survey_project(
    root: Path,
    excludes: Excludes,
    on_file: Callable[[int, str], None],
    cancelled: Callable[[], bool],
    max_bytes: int = MAX_BYTES,
    entries: Iterable[Entry] | None = None,
    listener: SurveyListener | None = None,
) -> Survey:
    """Read the Python files of a project once; ``on_file`` gets the number of files so far and a name.

    Files of more than ``max_bytes`` are counted, and not read. ``entries`` are what there is to look at, if
    it is not everything; a directory among them was not entered. ``listener`` gets what was read.

    Raises:
        CancelledError: ``cancelled`` became true.
        OSError: the top directory cannot be listed.
    """
    counted = _Counted(root, max_bytes, listener or _NoListener())
    is_complete = True
    for entry in walk(root, excludes) if entries is None else entries:
        if cancelled():
            raise CancelledError
        is_complete = is_complete and (entries is None or entry.kind is not EntryKind.DIRECTORY)
        if counted.add(entry):
            on_file(counted.files, entry.path)
    return counted.result(is_complete)


class _Counted:
    """What the entries of a project are together."""

    def __init__(self, root: Path, max_bytes: int, listener: SurveyListener) -> None:
        self._root, self._max_bytes, self._listener = root, max_bytes, listener
        self.files = self._python_files = self._work = 0
        self._facts = FactsBuilder()
        self._large, self._small = LargeData(), _SmallFiles()

    def add(self, entry: Entry) -> bool:
        """One more; whether it is a file."""
        if entry.kind in _HIDDEN:
            self._listener.add_hidden(entry)
        if entry.kind not in _FILES:
            return False
        self.files += 1
        if is_large(entry):
            self._large = self._large.with_file(entry)
        elif entry.kind is EntryKind.OTHER:
            self._small.add(entry)
        if entry.kind in (EntryKind.PYTHON, EntryKind.EXCLUDED):
            self._add_python(entry)
        elif entry.kind in (EntryKind.TEXT, EntryKind.OTHER):
            self._listener.add_other(self._root, entry)
        return True

    def _add_python(self, entry: Entry) -> None:
        self._python_files += 1
        data = _python_of(entry.path, _content(join(str(self._root), entry.path), self._max_bytes))
        self._facts.add(entry.path, facts_of(entry.path, data))
        self._listener.add_python(entry.path, data)
        if entry.kind is EntryKind.PYTHON:
            self._work += len(data) if may_concern(data) else len(data) // _IDLE_SHARE

    def result(self, is_complete: bool) -> Survey:
        """All of it, which may not be what belongs together."""
        facts, small = self._facts.result(), self._small.result()
        return Survey(self.files, self._python_files, self._work, facts, is_complete, self._large, small)


class _SmallFiles:
    """Counts the files that are copied as they are, by the top folder that they are in."""

    def __init__(self) -> None:
        self._number = 0
        self._sizes: Counter[str] = Counter()

    def add(self, entry: Entry) -> None:
        """One more."""
        folder, slash, _ = entry.path.partition("/")
        self._number += 1
        self._sizes[folder if slash else "."] += entry.size

    def result(self) -> SmallData:
        """What they are together."""
        return SmallData(self._number, self._sizes.total(), tuple(self._sizes.most_common(_NAMED)))


def worker_count(jobs: int, work: int, files: int) -> int:
    """How many processes are worth it: at most ``jobs`` (0: one per core), a file each, enough work each."""
    most = jobs or available_cores()
    return max(1, min(most, files, work // _WORTH_A_WORKER))


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _python_of(path: str, data: bytes) -> bytes:
    """The Python of a file; of one that takes too long, nothing: its examination reports that."""
    try:
        with time_limit():
            return python_of(path, data)
    except TimeLimitError:
        return b""


def _content(path: str, limit: int) -> bytes:
    try:
        return read_file(path, limit).data
    except UnreadableError:
        return b""


def data_notices(survey: Survey, options: MigrationOptions) -> Iterator[Message]:
    """The large files, which are linked, and folders of small ones that are much together."""
    large, small = survey.large, survey.small
    if large.number:
        links = options.large_files is LargeFiles.LINK
        more = ["…"] if large.number > len(large.names) else []
        yield Message.of(
            "project.large-linked" if links else "project.large-copied",
            count=large.number,
            size=size_text(large.size),
            names=", ".join([*map(shown, large.names), *more]),
            option=option_name("large_files"),
        )
    if is_much(small.size):
        yield Message.of(
            "project.small-copied",
            count=small.number,
            size=size_text(small.size),
            folders=", ".join(f"{shown(name)} ({size_text(size)})" for name, size in small.folders),
            option=option_name("exclude"),
        )
