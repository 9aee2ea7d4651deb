"""What all files of a project say of its programs, collected while they are read for something else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit

from ...files.content.notebooks import is_notebook, python_of
from ...files.discover import Entry as FileEntry
from ...files.discover import EntryKind, walk
from ...files.excludes import Excludes
from ...files.writing.copying import UnreadableError, read_file
from ...paths import join
from ..places import is_of_packaging
from .python_facts import PythonFacts, python_facts
from .text_facts import TextFacts, may_start, text_facts

NOTHING = TextFacts()
_MOST_BYTES = 1_000_000
"""Beyond which a file that is no Python is data, and starts nothing."""


class ProgramFacts(NamedTuple):
    """By path: what each file contributes."""

    python: Mapping[str, PythonFacts] = {}
    """Of every Python file and notebook that could be read."""
    texts: Mapping[str, TextFacts] = {}
    """Of the other files that say anything."""
    hidden: frozenset[str] = frozenset()
    """The names, without suffixes, of links and of what the user leaves out."""


@attrs.define
class ProgramFactsBuilder:
    """Collects the facts of files, one after the other."""

    _python: dict[str, PythonFacts] = attrs.field(factory=dict)
    _texts: dict[str, TextFacts] = attrs.field(factory=dict)
    _hidden: set[str] = attrs.field(factory=set)

    def add_python(self, path: str, python: bytes) -> None:
        """Enter a Python file or notebook by its Python; one that takes too long contributes nothing."""
        try:
            with time_limit():
                self._python[path] = python_facts(python, is_notebook=is_notebook(path))
                if is_of_packaging(path):
                    self._texts[path] = text_facts(path, python)
        except TimeLimitError:
            self._python[path] = PythonFacts()

    def add_other(self, root: Path, entry: FileEntry) -> None:
        """Read a file of another kind, if it may start programs or hold settings."""
        is_asked = entry.kind is EntryKind.TEXT or may_start(entry.path)
        if not is_asked or entry.size > _MOST_BYTES:
            return
        try:
            with time_limit():
                found = text_facts(entry.path, read_file(join(str(root), entry.path)).data)
        except (UnreadableError, TimeLimitError):
            return
        if found != NOTHING:
            self._texts[entry.path] = found

    def add_hidden(self, entry: FileEntry) -> None:
        """Enter a link, or what the user leaves out."""
        self._hidden.add(entry.path.rpartition("/")[2].removesuffix(".py"))

    def result(self) -> ProgramFacts:
        """The facts of the files so far."""
        return ProgramFacts(dict(self._python), dict(self._texts), frozenset(self._hidden))


def program_facts(root: Path, exclude: tuple[str, ...], most_files: int) -> ProgramFacts:
    """The facts of a directory that nothing else is asked of; of at most so many files.
    Raises OSError: it cannot be listed."""
    builder, seen = ProgramFactsBuilder(), 0
    for entry in walk(root, Excludes(exclude)):
        seen += entry.kind is EntryKind.PYTHON
        if seen > most_files:
            break
        if entry.kind is EntryKind.PYTHON:
            try:
                data = read_file(join(str(root), entry.path)).data
                with time_limit():
                    builder.add_python(entry.path, python_of(entry.path, data))
            except (UnreadableError, TimeLimitError):
                continue
        elif entry.kind in (EntryKind.TEXT, EntryKind.OTHER):
            builder.add_other(root, entry)
        elif entry.kind in (EntryKind.LINK, EntryKind.OMITTED):
            builder.add_hidden(entry)
    return builder.result()
