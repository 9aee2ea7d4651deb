"""What the rules may ask about the other files of a project, answered from its directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gpu2ascend_rules.inference.reexports import brought, follow_imports, may_have, meaning_in
from gpu2ascend_rules.text.source_file import SourceFile

from ..files.copying import MAX_BYTES
from ..files.discover import EntryKind, walk
from ..files.encoding import NotTextError, decode
from ..files.excludes import Excludes
from ..files.notebooks import python_of
from ..paths import exists, join
from ..regular_files import is_of_same_user, read_inside
from .methods import MethodTable

_PROJECT_SIGNS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "environment.yml", ".git")
_SOURCE_DIRECTORY = "src"
_CACHED_ANSWERS = 10_000


class ProjectFiles:
    """A project as the rules see it (``gpu2ascend_rules.model.project_view.ProjectView``).

    Holds no list of files: a question about a module is a look into the directory, and a question about
    methods is answered from one pass over the files, made by the survey of a migration or when first
    asked. Goes to worker processes by pickling.
    """

    def __init__(
        self,
        root: Path,
        methods: Mapping[str, frozenset[str]] | None = None,
        reexported_names: frozenset[str] = frozenset(),
        max_bytes: int = MAX_BYTES,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self._max_bytes = max_bytes
        self._texts = texts or {}
        self._root = str(root)
        self._methods = dict(methods or {})
        self._reexported_names = reexported_names
        self._meanings: dict[tuple[str, str], dict[str, str]] = {}
        self._exported: dict[tuple[str, str], frozenset[str]] = {}
        self._modules: dict[tuple[str, str], bool] = {}

    def has_module(self, importer_path: str, module: str) -> bool:
        """Whether ``module`` is a file or package of the project, as seen from one of its files.

        An absolute name is looked for beside the importing file and in every directory above it up to
        the project's, for scripts put their own directories on the path; and below ``src``.
        """
        directory = importer_path.rpartition("/")[0]
        key = (directory, module)
        answer = self._modules.get(key)
        if answer is None:
            if len(self._modules) >= _CACHED_ANSWERS:
                self._modules.clear()
            answer = self._modules[key] = self._look_up(directory, module)
        return answer

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        """The path and the text of the file that a module of the project is, as one of its files sees it."""
        for parts in _candidates(importer_path.rpartition("/")[0], module):
            for path in ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"])):
                if path in self._texts:
                    return path, self._texts[path]
                data = _content(self._root, path, self._max_bytes) if parts else b""
                if data:
                    try:
                        return path, decode(data).text
                    except NotTextError:
                        return None
        return None

    @property
    def reexported_names(self) -> frozenset[str]:
        """See ``gpu2ascend_rules.inference.reexports.ReexportView``; empty before a survey."""
        return self._reexported_names

    def stands_for(self, importer_path: str, imported: str) -> str | None:
        """The name below ``torch`` that a name imported from a module of the project stands for."""
        module, _, name = imported.rpartition(".")
        if name not in self._reexported_names or _is_torch(module):
            return None
        return self._meanings_in(importer_path, _module_of(imported, module)).get(name)

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        """What a star import of a module brings, of the names that may be passed on."""
        names = self._exported_by(importer_path, module)
        if not names:
            return {}
        meanings = self._meanings_in(importer_path, module)
        return {name: meaning for name, meaning in meanings.items() if name in names}

    def _exported_by(self, importer_path: str, module: str) -> frozenset[str]:
        """The names that a star import of a module may bring; mostly none, which spares a parse."""
        key = (importer_path.rpartition("/")[0], module)
        if key not in self._exported:
            if len(self._exported) >= _CACHED_ANSWERS:
                self._exported.clear()
            found = self.find_module(importer_path, module) if not _is_torch(module) else None
            data = found[1].encode("utf-8", "surrogatepass") if found is not None else b""
            self._exported[key] = frozenset(brought(data, self._reexported_names)) if data else frozenset()
        return self._exported[key]

    def _meanings_in(self, importer_path: str, module: str) -> dict[str, str]:
        """What a module's names stand for, of those that may be passed on: all at once, for one parse."""
        key = (importer_path.rpartition("/")[0], module)
        if key in self._meanings:
            return self._meanings[key]
        if len(self._meanings) >= _CACHED_ANSWERS:
            self._meanings.clear()
        meanings = self._meanings[key] = {}  # empty meanwhile, for modules that import each other
        found = self.find_module(importer_path, module) if module else None
        if found is not None:
            path, text = found
            source = SourceFile(text, path)
            follow_imports(source, self)
            for name in sorted(self._reexported_names):
                meaning = meaning_in(source, name) if may_have(source.data, name) else None
                if meaning is not None:
                    meanings[name] = meaning
        return meanings

    def defines_method(self, name: str) -> frozenset[str]:
        """Qualified names of the project's classes that define a method of that name."""
        if name not in self._methods:
            self._methods.update(scan_methods(Path(self._root), name, max_bytes=self._max_bytes))
        return self._methods[name]

    def _look_up(self, directory: str, module: str) -> bool:
        return any(self._is_module(parts) for parts in _candidates(directory, module))

    def _is_module(self, parts: list[str]) -> bool:
        path = join(self._root, "/".join(parts))
        return (bool(parts) and os.path.isfile(f"{path}.py")) or _is_package(path)  # noqa: PTH113


def _is_torch(module: str) -> bool:
    return module == "torch" or module.startswith("torch.")


def _module_of(imported: str, module: str) -> str:
    """The module of an imported name. ``from . import F`` imports ``.F`` from the package ``.``."""
    dots = imported[: len(imported) - len(imported.lstrip("."))]
    return module if module.strip(".") else dots


def _candidates(directory: str, module: str) -> list[list[str]]:
    """Where a module may lie, by the steps from the project's directory."""
    below = module.lstrip(".")
    dots = len(module) - len(below)
    steps = directory.split("/") if directory else []
    parts = below.split(".") if below else []
    if dots:
        return [[*steps[: len(steps) - dots + 1], *parts]] if dots - 1 <= len(steps) else []
    tops = [steps[:count] for count in range(len(steps), -1, -1)]
    return [[*top, *parts] for top in [*tops, [_SOURCE_DIRECTORY]]]


def _is_package(path: str) -> bool:
    """Whether a directory can be imported: with or without ``__init__.py``, but not without any Python."""
    try:
        with os.scandir(path) as scan:
            return any(item.name.endswith(".py") for item in scan)
    except OSError:
        return False


def project_directory(file: Path) -> Path:
    """The directory of the project that a file belongs to; without any sign of one, its package's.

    What another user has put into a directory above is no sign.
    """
    for directory in file.parents:
        signs = (directory / sign for sign in _PROJECT_SIGNS)
        is_near = directory == file.parent
        if any(exists(sign) and (is_near or is_of_same_user(sign, file.parent)) for sign in signs):
            return directory
    directory = file.parent
    while exists(directory / "__init__.py") and directory != directory.parent:
        directory = directory.parent
    return directory


def scan_methods(root: Path, *names: str, max_bytes: int = MAX_BYTES) -> Mapping[str, frozenset[str]]:
    """The classes below a directory that define methods of these names; files that fail are passed over."""
    table = MethodTable(names)
    try:
        for entry in walk(root, Excludes(())):
            if entry.kind is EntryKind.PYTHON:
                data = _content(str(root), entry.path, max_bytes)
                table.add(entry.path, python_of(entry.path, data))
    except OSError:
        pass
    return table.result()


def _content(root: str, relative: str, max_bytes: int) -> bytes:
    """What a file of the project holds; nothing of one that is larger or cannot be read."""
    try:
        return read_inside(Path(root), join(root, relative), max_bytes)
    except OSError:
        return b""
