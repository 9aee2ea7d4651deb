"""Which files of a project a name stands for: of a module as imports write it, of a file as commands do."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..index.modules import ProjectModules

_INIT = "__init__.py"


class FileLookup:
    """Answers for one set of Python files. Where a path on which modules are searched cannot be seen, every
    file whose own path ends like the module's is an answer: one reached too many hides nothing."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._modules = ProjectModules(str(root), {})
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(_name_of(path), []).append(path)

    def modules(self, importer: str, module: str) -> tuple[str, ...]:
        """The files that run when a file imports a module: it and the packages around it."""
        last = module.rpartition(".")[2]
        if last and last not in self._by_name:
            return ()
        key = (importer.rpartition("/")[0], module)
        if key not in self._known:
            found = self._modules.locate(importer, module)
            if found in self._paths:
                self._known[key] = (found, *self._packages_around(found))
            else:
                self._known[key] = () if module.startswith(".") else self._ending_like(module)
        return self._known[key]

    def longest(self, importer: str, dotted: str) -> tuple[str, ...]:
        """The files of the longest beginning of a dotted name that is a module."""
        while "." in dotted:
            found = self.modules(importer, dotted)
            if found:
                return found
            dotted = dotted.rpartition(".")[0]
        return ()

    def files(self, named_in: str, path: str) -> tuple[str, ...]:
        """The files that a command or a text means: from the project, from where it stands, or alike."""
        directory = posixpath.dirname(named_in)
        for start in ("", directory):
            found = posixpath.normpath(posixpath.join(start, path)).removeprefix("/")
            if found in self._paths:
                return (found,)
        wanted = posixpath.normpath(path)
        while wanted.startswith("../"):
            wanted = wanted[3:]
        alike = self._by_name.get(_name_of(wanted), ())
        return tuple(item for item in alike if f"/{item}".endswith(f"/{wanted}"))

    def below(self, directory: str) -> Iterator[str]:
        """All files in a directory, at any depth."""
        start = f"{directory}/" if directory else ""
        return (path for path in self._paths if path.startswith(start))

    def _packages_around(self, path: str) -> tuple[str, ...]:
        found = []
        directory = posixpath.dirname(path)
        while directory and f"{directory}/{_INIT}" in self._paths:
            found.append(f"{directory}/{_INIT}")
            directory = posixpath.dirname(directory)
        return tuple(item for item in found if item != path)

    def _ending_like(self, module: str) -> tuple[str, ...]:
        steps = module.replace(".", "/")
        ends = (f"/{steps}.py", f"/{steps}/{_INIT}")
        return tuple(path for path in self._by_name[module.rpartition(".")[2]] if f"/{path}".endswith(ends))


def _name_of(path: str) -> str:
    """The last part of the name of the module that a file is."""
    parts = path.rpartition(".")[0].split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
