"""Which files of a project a name stands for: of a module as imports write it, of a file as commands do."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.text.plain.python_files import module_word

from ..index.sources.modules import ProjectModules
from ..index.sources.recent_texts import RecentTexts

_INIT = "__init__.py"
_GENERATED = re.compile(r"version|_pb2")
"""In the names of modules that installations and compilers of messages write."""


class Modules(NamedTuple):
    """The files that an import runs."""

    named: tuple[str, ...] = ()
    """Those that the name of the module stands for."""
    around: tuple[str, ...] = ()
    """The packages around them, which run for that as well."""

    @property
    def together(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.named, *self.around)


NO_MODULES = Modules()


class FileLookup:
    """Answers for one set of Python files. Where a path on which modules are searched cannot be seen, every
    file whose own path ends like the module's is an answer: one reached too many hides nothing."""

    def __init__(self, root: Path, paths: Iterable[str], hidden: frozenset[str] = frozenset()) -> None:
        """
        Args:
            root: The project's directory.
            paths: Of the Python files that were read.
            hidden: The names of what was not, and may be imported all the same.
        """
        self._root = root.resolve()
        self._hidden = hidden
        self._paths = frozenset(paths)
        self._modules = ProjectModules(RecentTexts(str(root)), {})
        self._known: dict[tuple[str, str], Modules] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_name.setdefault(module_word(path), []).append(path)

    def modules(self, importer: str, module: str) -> Modules:
        """The files that run when a file imports a module."""
        last = module.rpartition(".")[2]
        if last and last not in self._by_name and self._hidden.isdisjoint(module.split(".")):
            return NO_MODULES
        key = (importer.rpartition("/")[0], module)
        if key not in self._known:
            named = tuple(dict.fromkeys(self._named(importer, module)))
            around = tuple(dict.fromkeys(item for path in named for item in self._packages_around(path)))
            self._known[key] = Modules(named, around)
        return self._known[key]

    def _named(self, importer: str, module: str) -> Iterator[str]:
        """What the name of a module stands for: as imports within the project find it, and from each folder
        above, of which a script may be started in any."""
        located = self._located(importer, module)
        if located is not None:
            yield located
        if module.startswith("."):
            return
        steps, directory = module.replace(".", "/"), posixpath.dirname(importer)
        found = located is not None
        while directory:
            for path in (f"{directory}/{steps}.py", f"{directory}/{steps}/{_INIT}"):
                if path in self._paths:
                    found = True
                    yield path
            directory = posixpath.dirname(directory)
        if not found:
            yield from self._ending_like(module)

    def _located(self, importer: str, module: str) -> str | None:
        """Where imports within the project find a module; behind a link, the file that it leads to."""
        path = self._modules.path_of(importer, module)
        if path is None or path in self._paths:
            return path
        real = self._root.joinpath(*path.split("/")).resolve()
        inside = real.relative_to(self._root).as_posix() if real.is_relative_to(self._root) else path
        return inside if inside in self._paths else path

    def longest(self, importer: str, dotted: str) -> Modules:
        """The files of the longest beginning of a name that is a module.

        The first part of a dotted name alone does not count, as texts have dots for other reasons.
        """
        while dotted:
            found = self.modules(importer, dotted)
            if found.named:
                return found
            dotted = dotted.rpartition(".")[0] if dotted.count(".") > 1 else ""
        return NO_MODULES

    def lacks(self, importer: str, module: str) -> bool:
        """Whether the package of the project that a module is of has no such module, source of it or folder.

        A name that cannot be resolved, as one of a library, does not belong to the project.
        """
        below = module.lstrip(".")
        if not below or self.modules(importer, module).named or _GENERATED.search(below):
            return False
        steps, up = below.split("."), len(module) - len(below)
        around = posixpath.dirname(importer).split("/") if up and "/" in importer else []
        if up > len(around) + 1 or not (up or self._is_own_package(steps[0])):
            return False
        holder = "/".join([*around[: len(around) + 1 - up], *steps[:-1]] if up else steps[:-1])
        return not any(self._root.joinpath(holder).glob(f"{steps[-1]}.*")) and not any(
            self._root.joinpath(holder, steps[-1]).glob("*")
        )

    def _is_own_package(self, name: str) -> bool:
        """Whether the project's directory has a package, so that no library of its name is imported."""
        return (self._modules.path_of("", name) or "").endswith(f"{name}/{_INIT}")

    def files(self, named_in: str, path: str) -> tuple[str, ...]:
        """The files that a command or a text means: from the project, from where it is, or alike, as from
        a folder above the project; with a ``*`` for what is computed."""
        directory = posixpath.dirname(named_in)
        if "*" in path:
            return tuple(sorted(item for item in self._paths if fnmatchcase(f"/{item}", f"*/{path}")))
        for start in ("", directory):
            found = posixpath.normpath(posixpath.join(start, path)).removeprefix("/")
            if found in self._paths:
                return (found,)
        wanted = posixpath.normpath(path)
        while wanted.startswith("../"):
            wanted = wanted[3:]
        alike = self._by_name.get(module_word(wanted), ())
        ending = tuple(item for item in alike if f"/{item}".endswith(f"/{wanted}"))
        return _nearest(ending, wanted) or tuple(
            item for item in alike if "/" in item and f"/{wanted}".endswith(f"/{item}")
        )

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
        alike = self._by_name.get(module.rpartition(".")[2], ())
        return tuple(path for path in alike if f"/{path}".endswith(ends))


def _nearest(paths: tuple[str, ...], ending: str) -> tuple[str, ...]:
    """Of paths with an ending those that lie in no folder of another: ``cd src`` means no test deep in it."""
    starts = [path.removesuffix(ending) for path in paths]
    return tuple(path for path in paths if sum(map(path.startswith, starts)) == 1)
