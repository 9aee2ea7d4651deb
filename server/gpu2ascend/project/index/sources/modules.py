"""Where the modules of a project lie: in its directory, and in the texts that count in place of its files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from ...paths import is_file, join
from .recent_texts import RecentTexts

_SOURCE_DIRECTORY = "src"
_CACHED_ANSWERS = 10_000
_CACHED_PATHS = 100_000
_INIT = "__init__.py"
_DISTRIBUTION = ("pyproject.toml", "setup.py", "setup.cfg")


_ANSWERS = frozenset({"_own_names", "_tops", "_folders"})
"""Cached properties, which are found again where they are needed."""


class ProjectModules:
    """Looks up modules. A look into the directory is made once for each question; texts are always looked at.

    Args:
        files: What reads the files of the project's directory.
        texts: By path relative to that: the texts that count in place of the files.
    """

    def __init__(self, files: RecentTexts, texts: Mapping[str, str]) -> None:
        self.root = files.root
        self.texts = texts
        self._files = files
        self._modules: dict[tuple[str, str], bool] = {}
        self._paths: dict[tuple[str, str], str | None] = {}
        self._packages: dict[str, bool] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the answers, which are found again in another process when they are needed there."""
        kept = {name: value for name, value in self.__dict__.items() if name not in _ANSWERS}
        return kept | {"_modules": {}, "_paths": {}, "_packages": {}}

    def has(self, importer_path: str, module: str) -> bool:
        """Whether ``module`` is a file or package of the project, as seen from one of its files."""
        directory = importer_path.rpartition("/")[0]
        key = (directory, module)
        answer = self._modules.get(key)
        if answer is None:
            if len(self._modules) >= _CACHED_ANSWERS:
                self._modules.clear()
            answer = self._modules[key] = self._is_own(module) or any(
                self._is_module(parts) for parts in self._candidates(directory, module)
            )
        return answer

    def _is_own(self, module: str) -> bool:
        """Whether a module is the project, a package around it, or lies in the outermost of these."""
        if module in self._own_names:
            return True
        first, _, below = module.partition(".")
        if not below or first not in self._own_names:
            return False
        depth = max(name.count(".") for name in self._own_names)
        steps = [*[".."] * depth, *below.split(".")]
        return self._is_module(steps)

    @cached_property
    def _own_names(self) -> frozenset[str]:
        """What imports call the project's directory, where it is a package, and the packages around it."""
        names: list[str] = []
        directory = Path(self.root)
        while is_file(directory / _INIT) and directory.name:
            names.insert(0, directory.name)
            directory = directory.parent
        return frozenset(".".join(names[: count + 1]) for count in range(len(names)))

    @cached_property
    def _tops(self) -> tuple[list[str], ...]:
        """Where packages lie that are named from the project's directory on: it, ``src``, and each of its
        directories that is distributed by itself, as ``python`` is in a repository of many languages."""
        found: list[list[str]] = [[], [_SOURCE_DIRECTORY]]
        for name in self._folders:
            if any(self._is_file(f"{name}/{sign}") for sign in _DISTRIBUTION):
                found.append([name])
        return tuple(found)

    @cached_property
    def _folders(self) -> tuple[str, ...]:
        try:
            with os.scandir(self.root) as scan:
                return tuple(sorted(item.name for item in scan if item.is_dir(follow_symlinks=False)))
        except OSError:
            return ()

    def is_in_folder(self, module: str) -> bool:
        """Whether a module lies in any folder of the project's directory."""
        steps = module.split(".")
        return any(self._is_module([name, *steps]) for name in self._folders)

    def find(self, importer_path: str, module: str) -> tuple[str, str] | None:
        """The path and the text of the file that a module of the project is, as one of its files sees it."""
        path = self.path_of(importer_path, module)
        if path is None:
            return None
        opened = self.texts.get(path)
        text = opened if opened is not None else self._files.text_at(path)
        return (path, text) if text is not None else None

    def path_of(self, importer_path: str, module: str) -> str | None:
        """The path of the file that a module of the project is, as one of its files sees it."""
        directory = importer_path.rpartition("/")[0]
        key = (directory, module)
        if key not in self._paths:
            if len(self._paths) >= _CACHED_PATHS:
                self._paths.clear()
            places = (
                path
                for parts in filter(None, self._candidates(directory, module))
                for path in ("/".join(parts) + ".py", "/".join([*parts, _INIT]))
            )
            self._paths[key] = next(filter(self._is_file, places), None)
        return self._paths[key]

    def _candidates(self, directory: str, module: str) -> list[list[str]]:
        """Where a module may lie, by the steps from the project's directory.

        An absolute name is looked for beside the importing file and in every directory above it, for scripts
        put their own directories on the path; but not in a package, whose modules have longer names, unless
        that is the project's own directory, where scripts are started. And below the other :attr:`_tops`.
        """
        below = module.lstrip(".")
        dots = len(module) - len(below)
        steps = directory.split("/") if directory else []
        parts = below.split(".") if below else []
        if dots:
            return [[*steps[: len(steps) - dots + 1], *parts]] if dots - 1 <= len(steps) else []
        tops = [steps[:count] for count in range(len(steps), 0, -1)]
        scripts = [top for top in tops if not self._is_regular_package("/".join(top))]
        return [[*top, *parts] for top in [*scripts, *self._tops]]

    def _is_regular_package(self, directory: str) -> bool:
        answer = self._packages.get(directory)
        if answer is None:
            if len(self._packages) >= _CACHED_ANSWERS:
                self._packages.clear()
            answer = self._packages[directory] = self._is_file(f"{directory}/{_INIT}")
        return answer

    def _is_module(self, parts: list[str]) -> bool:
        path = "/".join(parts)
        return (bool(parts) and self._is_file(f"{path}.py")) or self._is_package(path)

    def _is_file(self, path: str) -> bool:
        return path in self.texts or os.path.isfile(join(self.root, path))  # noqa: PTH113

    def _is_package(self, path: str) -> bool:
        """Whether a directory can be imported: without ``__init__.py`` too, but not without any Python."""
        start = f"{path}/" if path else ""
        if any(_lies_in(start, text) for text in self.texts):
            return True
        try:
            with os.scandir(join(self.root, path)) as scan:
                return any(item.name.endswith(".py") for item in scan)
        except OSError:
            return False


def _lies_in(start: str, path: str) -> bool:
    return path.endswith(".py") and path.startswith(start) and "/" not in path[len(start) :]
