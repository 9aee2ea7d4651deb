"""The files of a program, each parsed when something leads there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol

from ...engine.context import Context
from ...model.project.project_view import ProjectView
from ...model.project.shifts import Shift
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from .same_code import same_code
from .unasked import unasked_edit

_STRINGS_WITH_WORDS = re.compile(rb"""['"](?:cuda(?:['":{%])|nccl['"]|NCCL['"])|[:,]nccl\b""")
_MOST_DECLARING = 20
_STAR_IMPORT = re.compile(rb"import[ \t\\\r\n]*\*")


def has_words(python: bytes) -> bool:
    """Whether a string of a module may be a word of a subject, by its bytes."""
    may_have = b"cuda" in python or b"nccl" in python or b"NCCL" in python
    return may_have and _STRINGS_WITH_WORDS.search(python) is not None


class SettingWord(NamedTuple):
    """A value of a configuration that is a word of a subject."""

    path: str
    start: int
    """In bytes."""
    keys: tuple[str, ...]
    """From the outermost one on, without places in lists."""
    value: str
    target: str = ""
    """The qualified name of the function or class that the configuration has called with it."""
    argument: tuple[str, ...] = ()
    """The keyword by which it is given that, and the keys below."""


class ProjectFilesView(ProjectView, Protocol):
    """A project whose files can be listed, besides what every view answers."""

    @property
    def files_with_words(self) -> Iterable[str]:
        """The Python files that have a word of a subject, by :func:`has_words`."""

    @property
    def setting_words(self) -> Iterable[SettingWord]:
        """The words in the configurations of the project."""

    def imported_by(self, path: str) -> Collection[str]:
        """The last parts of the modules that a file may import, and the names that it imports from them."""

    def python_at(self, path: str) -> SourceFile | None:
        """The Python of a file or notebook; None of one that cannot be read."""

    def may_silence(self, path: str) -> bool:
        """Whether a file may have ignore comments."""

    @property
    def root(self) -> Hashable:
        """Which project it is."""

    @property
    def known_facts(self) -> object:
        """What is known of all files without their texts; equal as long as that is the same."""

    def sign_of(self, path: str) -> Hashable:
        """What is the same as long as the text of a file is."""

    def keep_needs(self, before: ProjectFilesView, options: MigrationOptions, same: Collection[str]) -> bool:
        """Whether the names that need CUDA are surely those of an earlier state; they are not found again.

        Args:
            same: The paths of files whose edits left their code.
        """

    @property
    def unnoted(self) -> ProjectFilesView:
        """The same project, where no text counts as read."""

    @property
    def texts_read(self) -> Mapping[str, Hashable]:
        """The signs of the files whose texts were read to answer what was asked about others."""

    def real_path(self, path: str) -> str:
        """The path of a file without the links on the way to it."""

    @property
    def files_with_options(self) -> Iterable[str]:
        """The Python files that may declare options of a command line."""

    def importers_of(self, module: str) -> Iterable[str]:
        """The paths of the files that may import a module, given by the last part of its name."""


class ProgramFile:
    """One Python file of the program."""

    def __init__(
        self, path: str, source: SourceFile, options: MigrationOptions, project: ProjectView
    ) -> None:
        self.path = path
        self.source = source
        self._options = options
        self._project = project

    @classmethod
    def examined(cls, ctx: Context) -> ProgramFile:
        """The file that rules look at."""
        file = cls.__new__(cls)
        file.path, file.source, file._options, file._project = (
            ctx.source.path or "",
            ctx.source,
            ctx.options,
            ctx.project,
        )
        file.__dict__["ctx"] = ctx
        return file

    @cached_property
    def ctx(self) -> Context:
        """The context in which the file's names are resolved."""
        return Context(self.source, self._options, self._project)

    def line_of(self, start: int) -> int:
        """The line of an offset, from 1; a notebook, whose cells have lines of their own, counts as one."""
        return 1 if self.path.lower().endswith(".ipynb") else self.source.lines.line_of(start) + 1

    def move_to(self, project: ProjectView) -> None:
        """Ask another state of the project from now on, in which what was asked has the same answers."""
        self._project = project
        ctx: Context | None = self.__dict__.get("ctx")
        if ctx is not None:
            ctx.move_to(project)

    @cached_property
    def may_import_star(self) -> bool:
        """Whether it may import all names of a module, by its bytes."""
        return self.source.has(_STAR_IMPORT)

    @property
    def module(self) -> str:
        """The last part of the name of the module that the file is."""
        parts = self.path.removesuffix(".py").split("/")
        return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


class Files(Protocol):
    """The files among which names are looked up; the answers here are those of a program of one file."""

    def module(self, importer: ProgramFile, name: str) -> ProgramFile | None:
        """The file that a module of the project is, as another one sees it."""
        return None

    def importers_of(self, file: ProgramFile, word: str) -> list[ProgramFile]:
        """The other files that may import a file, and use a name of it."""
        return []

    def importers(self, file: ProgramFile) -> list[ProgramFile]:
        """The other files that may import a file; none counts as looked into."""
        return []

    def mentions(self, file: ProgramFile, word: str) -> bool:
        """Whether a file has a word."""
        return file.source.has(word.encode())

    def declaring(self, option: str) -> list[ProgramFile]:
        """The files that declare an option of a command line."""
        return []


class NoOtherFiles(Files):
    """The files of a program of one file."""


class Notes(NamedTuple):
    """What was asked of the files of a program to find something."""

    read: set[str]
    """The files that were looked into."""
    mentions: dict[tuple[str, str], bool]
    """By file and word, whether it may use it."""


class ProgramFiles:
    """The files of a program by path.

    Args:
        before: Those of an earlier state of the project, of which the files that are the same are kept.
    """

    def __init__(
        self, project: ProjectFilesView, options: MigrationOptions, before: ProgramFiles | None = None
    ) -> None:
        self._project = project
        self._options = options
        self._files: dict[str, ProgramFile | None] = {}
        self._signs: dict[str, Hashable] = {}
        self._modules: dict[tuple[str, str], str | None] = {}
        self.notes = Notes(set(), {})
        """What is asked from now on."""
        self.changed: frozenset[str] = frozenset()
        """The files that are not as they were before."""
        self.shifts: dict[str, Shift] = {}
        """By path, the edits of files that changed no answer: these are looked at as they were before."""
        self.same: frozenset[str] = frozenset()
        """Those of them whose edits left their code."""
        if before is not None:
            self._take_over(before)

    def _take_over(self, before: ProgramFiles) -> None:
        signs = {path: self._project.sign_of(path) for path in before._signs}
        edited = {path for path, sign in signs.items() if sign != before._signs[path]}
        same = {path: shift for path in edited if (shift := self._edit_of(before._files[path], same_code))}
        others = edited - same.keys()
        unasked = (
            (path, shift) for path in others if (shift := self._edit_of(before._files[path], unasked_edit))
        )
        self.shifts, self.same = {**same, **dict(unasked)}, frozenset(same)
        self.changed = frozenset(edited - self.shifts.keys())
        for path in signs.keys() - self.changed:
            file = self._files[path] = before._files[path]
            self._signs[path] = before._signs[path]
            if file is not None:
                file.move_to(self._project)
        self._modules = before._modules

    def _edit_of(
        self, before: ProgramFile | None, edit_of: Callable[[SourceFile, str], Shift | None]
    ) -> Shift | None:
        """The edit of a module, if it is of some kind."""
        if before is None or not before.path.lower().endswith(".py"):
            return None
        text = self._project.unnoted.text_at(before.path)
        return edit_of(before.source, text) if text is not None else None

    def get(self, path: str) -> ProgramFile | None:
        """A file; None for one that cannot be read."""
        self.notes.read.add(path)
        return self._peeked(path)

    def _peeked(self, path: str) -> ProgramFile | None:
        """A file of which nothing is noted."""
        if path not in self._files:
            self._signs[path] = self._project.sign_of(path)
            source = self._project.python_at(path)
            file = ProgramFile(path, source, self._options, self._project) if source is not None else None
            self._files[path] = file
        return self._files[path]

    def module(self, importer: ProgramFile, name: str) -> ProgramFile | None:
        """The file that a module of the project is, as another one sees it."""
        key = (importer.path.rpartition("/")[0], name)
        if key not in self._modules:
            self._modules[key] = self._find(importer.path, name)
        path = self._modules[key]
        return self.get(path) if path is not None else None

    def _find(self, importer_path: str, name: str) -> str | None:
        first, dot, _ = name.partition(".")
        # a folder of packages alone may be none of its own: ``models`` of ``models.net.train``
        if first and not dot and not self._project.has_module(importer_path, first):
            return None
        return self._project.path_of_module(importer_path, name)

    def unread_importers_of(self, path: str) -> list[str]:
        """The files that may import one, and cannot be read."""
        file = self.get(path)
        importers = self._project.importers_of(file.module) if file is not None else ()
        others = (other for other in sorted(importers) if other != path)
        return [other for other in others if not self._asked(other, "", is_import=False)]

    def importers(self, file: ProgramFile) -> list[ProgramFile]:
        """The other files that may import a file; none counts as looked into."""
        paths = (path for path in sorted(self._project.importers_of(file.module)) if path != file.path)
        return [other for other in map(self._peeked, paths) if other is not None]

    def importers_of(self, file: ProgramFile, word: str) -> list[ProgramFile]:
        """The other files that may import a file, and use a name of it."""
        found = [other for other in self.importers(file) if self._asked(other.path, word, is_import=True)]
        self.notes.read.update(other.path for other in found)
        return found

    def mentions(self, file: ProgramFile, word: str) -> bool:
        """Whether a file has a word; if so, it is looked into."""
        has_word = self._asked(file.path, word, is_import=False)
        if has_word:
            self.notes.read.add(file.path)
        return has_word

    def declaring(self, option: str) -> list[ProgramFile]:
        """The files that declare an option of a command line."""
        paths = self._project.declared_in(option)[:_MOST_DECLARING]
        return [file for file in map(self.get, paths) if file is not None]

    def _asked(self, path: str, word: str, *, is_import: bool) -> bool:
        key = (path, f"{'import ' if is_import else ''}{word}")
        if key not in self.notes.mentions:
            self.notes.mentions[key] = self._answer(*key)
        return self.notes.mentions[key]

    def hold(self, notes: Notes) -> bool:
        """Whether what was asked before has the same answers now."""
        return self.changed.isdisjoint(notes.read) and all(
            self._answer(*key) == answer for key, answer in notes.mentions.items() if key[0] in self.changed
        )

    def _answer(self, path: str, question: str) -> bool:
        file = self._peeked(path)
        if file is None:
            return False
        name = question.removeprefix("import ")
        return self._may_use(file, name) if name != question else file.source.has(name.encode())

    def _may_use(self, other: ProgramFile, name: str) -> bool:
        """Whether a file may use a name of a module that it imports, before it is parsed."""
        if name == "*":
            return other.may_import_star
        if not other.source.has(name.encode()):
            return False
        is_imported = name in self._project.imported_by(other.path)
        return is_imported or other.source.has(f".{name}".encode()) or other.may_import_star
