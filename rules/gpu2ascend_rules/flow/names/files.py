"""The files of a program, each parsed when something leads there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import NamedTuple, Protocol

from ...engine.context import Context
from ...model.project.project_view import ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile

_STRINGS_WITH_WORDS = re.compile(rb"""['"](?:cuda(?:['":{%])|nccl['"]|NCCL['"])|[:,]nccl\b""")
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


class ProjectFilesView(ProjectView, Protocol):
    """A project whose files can be listed, beside what every view answers."""

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

    @cached_property
    def may_import_star(self) -> bool:
        """Whether it may import all names of a module, by its bytes."""
        return _STAR_IMPORT.search(self.source.data) is not None

    @property
    def module(self) -> str:
        """The last part of the name of the module that the file is."""
        parts = self.path.removesuffix(".py").split("/")
        return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


class Files(Protocol):
    """The files among which names are looked up."""

    def module(self, importer: ProgramFile, name: str) -> ProgramFile | None: ...

    def importers_of(self, file: ProgramFile, word: str) -> list[ProgramFile]: ...


class NoOtherFiles:
    """The files of a program of one file."""

    def module(self, importer: ProgramFile, name: str) -> ProgramFile | None:
        """None: no other file is looked at."""
        return None

    def importers_of(self, file: ProgramFile, word: str) -> list[ProgramFile]:
        """None at all."""
        return []


class ProgramFiles:
    """The files of a program by path."""

    def __init__(self, project: ProjectFilesView, options: MigrationOptions) -> None:
        self._project = project
        self._options = options
        self._files: dict[str, ProgramFile | None] = {}
        self._modules: dict[tuple[str, str], str | None] = {}

    def get(self, path: str) -> ProgramFile | None:
        """A file; None for one that cannot be read."""
        if path not in self._files:
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
        if not name.startswith(".") and not self._project.has_module(importer_path, name.partition(".")[0]):
            return None
        return self._project.path_of_module(importer_path, name)

    def unread_importers_of(self, path: str) -> list[str]:
        """The files that may import one, and cannot be read."""
        file = self.get(path)
        importers = self._project.importers_of(file.module) if file is not None else ()
        return [other for other in sorted(importers) if other != path and self.get(other) is None]

    def importers_of(self, file: ProgramFile, word: str) -> list[ProgramFile]:
        """The other files that may import a file, and have a word."""
        found = []
        for path in sorted(self._project.importers_of(file.module)):
            other = self.get(path) if path != file.path else None
            if other is not None and self._may_use(other, word):
                found.append(other)
        return found

    def _may_use(self, other: ProgramFile, name: str) -> bool:
        """Whether a file may use a name of a module that it imports, before it is parsed."""
        data = other.source.data
        if name == "*":
            return other.may_import_star
        if name.encode() not in data:
            return False
        is_imported = name in self._project.imported_by(other.path)
        return is_imported or f".{name}".encode() in data or other.may_import_star
