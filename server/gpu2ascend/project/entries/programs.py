"""The programs of a project, best first, and how each of its files is reached from them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import reduce
from operator import or_
from pathlib import Path

from gpu2ascend_rules.facts.packages.third_party import verdict_of_module
from gpu2ascend_rules.text.names import absolute_name

from ..files.content.notebooks import is_notebook
from ..report.verdict.way import Standing, Way
from .facts.collected import ProgramFacts
from .facts.python_facts import PythonFacts
from .facts.text_facts import may_start_console
from .graph import graph_of, reached
from .lookup import FileLookup
from .model import Entry, EntryKind
from .places import (
    has_name_of_test,
    holds_settings,
    is_among_documents,
    is_among_tests,
    is_for_other_system,
    is_of_ci,
    is_of_packaging,
    is_source,
)
from .ranking import Rank, is_named_main, is_named_otherwise, is_named_training, rank

_PROGRAMS = frozenset({EntryKind.TRAINING, EntryKind.OTHER})
_APART = (is_of_ci, is_among_tests, is_among_documents, is_for_other_system)
"""What files that are no Python may be, by their paths, that no training on an NPU needs."""


class Programs:
    """The entries of a project, and the ways of its files.

    Args:
        root: The project's directory.
        facts: What its files say of programs.
        chosen: The entries that matter, by path, where a user has named them.
    """

    def __init__(self, root: Path, facts: ProgramFacts, chosen: Sequence[str] = ()) -> None:
        self._facts = facts
        self._lookup = FileLookup(root, facts.python, facts.hidden)
        graph = graph_of(facts, self._lookup)
        self._started = self._starters()
        starts = sorted({*self._found(), *chosen})
        masks = reached(starts, graph.runs)
        named = reached(starts, graph.names)
        steps = reduce(or_, (named.get(path, 0) for path, item in facts.python.items() if item.steps), 0)
        unordered = [self._entry(path, bool(steps >> place & 1)) for place, path in enumerate(starts)]
        unordered = list(_without_parts(_or_by_name(unordered), masks))
        shown = self._shown()

        def order(entry: Entry) -> Rank:
            return rank(entry, facts.python.get(entry.path), shown.get(entry.path, len(shown)))

        self.entries = tuple(sorted(unordered, key=order))
        """Best first: those that train, of these what a script starts and what is called so."""
        trains = tuple(entry.path for entry in self.entries if entry.kind is EntryKind.TRAINING)
        self.on_the_way_of = tuple(chosen) or trains
        """The entries whose ways count: the chosen ones, else those that train; none where nothing shows
        which do, and then everything counts but tests and CI."""
        self._starts = starts
        self._order = {entry.path: at for at, entry in enumerate(self.entries)}
        self._masks = masks
        self._known: dict[int, tuple[str, ...]] = {}
        self._wanted = self._mask_of(self.on_the_way_of)
        self._programs = self._mask_of(entry.path for entry in self.entries if entry.kind in _PROGRAMS)
        self._packaging = self._mask_of(filter(is_of_packaging, starts))
        self._near = self._around(self._programs)
        self._modules = _by_directory(self._facts.python)
        self._near_way = self._around(self._wanted)

    def _mask_of(self, paths: Iterable[str]) -> int:
        """Some of the starts as bits."""
        return sum(1 << self._starts.index(path) for path in dict.fromkeys(paths))

    def _around(self, wanted: int) -> frozenset[str]:
        """The directories of what some starts reach."""
        return _directories(path for path, mask in self._masks.items() if mask & wanted)

    @property
    def unread(self) -> tuple[str, ...]:
        """The modules on the way that were not read: behind a link that leads out, left out, not there, or
        brought into the project by its users."""
        found = [path for path, mask in self._masks.items() if mask & self._wanted]
        missing = {path for path in found if path not in self._facts.python}
        return tuple(sorted(missing.union(self._lacked(found), self._brought(found))))

    def _lacked(self, paths: Iterable[str]) -> Iterator[str]:
        """The modules that files import of packages of the project which have none of that name."""
        built = frozenset[str]().union(*(text.built for text in self._facts.texts.values()))
        for path in paths:
            for module in self._facts.python.get(path, PythonFacts()).required:
                if module.rpartition(".")[2] not in built and self._lookup.lacks(path, module):
                    yield absolute_name(module, path)

    def _brought(self, paths: Iterable[str]) -> Iterator[str]:
        """What the project's texts have users bring, and files import."""
        named = {name for text in self._facts.texts.values() for name in text.fetched}
        fetched = {name for name in named if not any(self._lookup.below(name))}
        for path in paths if fetched else ():
            for module in self._facts.python.get(path, PythonFacts()).imports:
                yield from self._missing_of(path, module, fetched)

    def _missing_of(self, importer: str, module: str, fetched: Set[str]) -> Set[str]:
        """What users bring of an import: it is not there, and of no library that is known."""
        parts = module.split(".")
        asked = fetched & set(parts)
        is_there = bool(asked) and (
            verdict_of_module(module) is not None
            or bool(self._lookup.longest(importer, module).named)
            or bool(self._lookup.modules(importer, parts[0]).named)
        )
        return frozenset() if is_there else asked

    def __contains__(self, path: object) -> bool:
        """Whether a Python file or notebook is part of the project."""
        return path in self._facts.python

    def way_of(self, path: str) -> Way:
        """How a file is reached; of any kind, by its path."""
        way = self._way_of(path)
        return way._replace(folder=self._folder_of(path)) if way.is_outside else way

    def _folder_of(self, path: str) -> str:
        """The outermost folder around a file in which nothing is on the way; else the file."""
        parts = path.split("/")
        folders = ("/".join(parts[:count]) for count in range(1, len(parts)))
        outside = (folder for folder in folders if folder not in self._near_way)
        return next((f"{folder}/" for folder in outside), path)

    def _way_of(self, path: str) -> Way:
        mask = self._masks.get(path, 0)
        if path not in self._facts.python or is_of_packaging(path):
            return self._way_of_other(path)
        if mask and not mask & ~self._packaging:  # the installation runs it
            return self._way_of_other(self._names(mask)[0])
        names = self._names(mask)
        if not self._wanted:
            is_outside = _is_test(path, self._facts.python[path])
            return Way(Standing.BESIDE if is_outside else Standing.ON_THE_WAY, names)
        is_on_it = bool(mask & self._wanted) or (not mask and self._may_be_read(path))
        return Way(Standing.ON_THE_WAY if is_on_it else Standing.BESIDE, names)

    def _may_be_read(self, path: str) -> bool:
        """Whether a file that nothing leads to is likely given to a program by its name."""
        return holds_settings(path) and not is_among_tests(path) and self._is_near(path)

    def _way_of_other(self, path: str) -> Way:
        if any(is_apart(path) for is_apart in _APART):
            return Way(Standing.BESIDE)
        mask = 0
        for target in self._targets(path):
            mask |= self._masks.get(target, 0)
        mask &= self._programs | self._wanted
        if not self._wanted:
            return Way(Standing.ON_THE_WAY, self._names(mask))
        is_on_it = bool(mask & self._wanted) if mask else self._is_near(path)
        if is_source(path) and self._is_beside_unused(path):
            is_on_it = False
        return Way(Standing.ON_THE_WAY if is_on_it else Standing.BESIDE, self._names(mask))

    def _is_near(self, path: str) -> bool:
        """Whether the nearest folder around a file that belongs to any program belongs to one that counts."""
        directory = posixpath.dirname(path)
        while directory and directory not in self._near:
            directory = posixpath.dirname(directory)
        return not directory or directory in self._near_way

    def _is_beside_unused(self, path: str) -> bool:
        """Whether no program uses the Python code next to a source, which builds it at run time. What a setup
        script builds is built for all."""
        directory = posixpath.dirname(path)
        while directory and directory not in self._modules:
            directory = posixpath.dirname(directory)
        beside = self._modules.get(directory, ()) if directory else ()
        above = ("", *_directories([path]))
        is_packaged = any(is_of_packaging(item) for at in above for item in self._modules.get(at, ()))
        return bool(beside) and not is_packaged and not any(map(self._masks.get, beside))

    def _names(self, mask: int) -> tuple[str, ...]:
        """The entries of a mask, best first; tests and packaging only where no program is among them."""
        mask = mask & (self._programs | self._wanted) or mask
        if mask not in self._known:
            found = [path for place, path in enumerate(self._starts) if mask >> place & 1]
            self._known[mask] = tuple(sorted(found, key=self._order.__getitem__))
        return self._known[mask]

    def _targets(self, path: str) -> Iterator[str]:
        """The Python files that the commands of a file name."""
        text = self._facts.texts.get(path)
        if text is None or is_of_packaging(path):
            return
        for command in text.commands:
            is_own = self._is_own(path, command.module) if command.module else False
            for name in command.files[:1] if not is_own else ():  # the others are what it reads
                yield from self._lookup.files(path, name)
            if command.module:
                yield from self._started_by_module(path, command.module)

    def _is_own(self, path: str, module: str) -> bool:
        """Whether a module is of the project: it starts no other program, as ``coverage`` does."""
        names = (module, module.partition(".")[0])
        return any(self._lookup.modules(path, name).named for name in names)

    def _started_by_module(self, path: str, module: str) -> Iterator[str]:
        found = self._lookup.modules(path, module).named
        if not found:
            return
        main = found[0].removesuffix("__init__.py") + "__main__.py"
        yield main if main in self._facts.python else found[0]

    def _starters(self) -> Mapping[str, tuple[str, ...]]:
        """By path of a Python file what starts it."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._facts.texts):
            targets = self._points(path) if is_of_packaging(path) else self._targets(path)
            for target in dict.fromkeys(targets):
                found.setdefault(target, []).append(path)
        return {path: tuple(starters) for path, starters in found.items()}

    def _shown(self) -> Mapping[str, int]:
        """By path of a Python file its place among those that the README starts: the first comes first."""
        readmes = (path for path in sorted(self._facts.texts) if path.lower().startswith("readme"))
        found = dict.fromkeys(target for path in readmes for target in self._targets(path))
        return {path: at for at, path in enumerate(found)}

    def _is_for_other(self, path: str) -> bool:
        """Whether a file that only reaches code which trains is there for something else."""
        is_other = is_named_otherwise(path) or (is_notebook(path) and not is_named_training(path))
        return is_other or self._is_tool(path)

    def _is_tool(self, path: str) -> bool:
        """Whether a file is only a console script of a library, which imports what trains."""
        started_by = self._started.get(path, ())
        is_console = bool(started_by) and all(may_start_console(starter) for starter in started_by)
        return is_console and not is_named_training(path)

    def _points(self, path: str) -> Iterator[str]:
        for command in self._facts.texts[path].commands:
            yield from self._started_by_module(path, command.module)

    def _found(self) -> Iterator[str]:
        for path, item in self._facts.python.items():
            is_run = item.starts or path in self._started or path.endswith("__main__.py")
            if is_run or is_of_packaging(path) or _is_test(path, item):
                yield path

    def _entry(self, path: str, trains: bool) -> Entry:
        item = self._facts.python.get(path, PythonFacts())
        started_by = self._started.get(path, ())
        if is_of_packaging(path) or (started_by and not item.starts and all(map(is_of_ci, started_by))):
            kind = EntryKind.PACKAGING
        elif _is_test(path, item):
            kind = EntryKind.TESTS
        elif trains and (item.steps or not self._is_for_other(path)):
            kind = EntryKind.TRAINING
        else:
            kind = EntryKind.OTHER
        return Entry(path, kind, started_by)


def _or_by_name(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Entries of which those train that are called so, where the steps of all are in a library."""
    if any(entry.kind is EntryKind.TRAINING for entry in entries):
        return entries
    named = {
        entry.path for entry in entries if entry.kind is EntryKind.OTHER and is_named_training(entry.path)
    }
    return [entry._replace(kind=EntryKind.TRAINING) if entry.path in named else entry for entry in entries]


def _without_parts(entries: Sequence[Entry], masks: Mapping[str, int]) -> Iterator[Entry]:
    """Entries of which those are no training that only end in a trial of themselves: nothing starts them, and
    one that is started uses them, or they are called a test and stand beside one.

    Args:
        masks: By path the entries that lead there, as bits by their place.
    """
    trains = [entry.kind is EntryKind.TRAINING for entry in entries]
    is_run = [bool(entry.started_by) or _is_called_so(entry.path) for entry in entries]
    wholes = sum(1 << at for at in range(len(entries)) if trains[at] and is_run[at])
    for at, entry in enumerate(entries):
        is_test = has_name_of_test(entry.path) and all(map(_is_document, entry.started_by))
        is_tried = (masks.get(entry.path, 0) & wholes and not is_run[at]) or (wholes and is_test)
        is_part = trains[at] and is_tried
        yield entry._replace(kind=EntryKind.OTHER) if is_part else entry


def _is_document(path: str) -> bool:
    return path.lower().endswith((".md", ".rst"))


def _is_called_so(path: str) -> bool:
    return is_named_training(path) or is_named_main(path)


def _is_test(path: str, item: PythonFacts) -> bool:
    """Whether a runner of tests starts a file: a script ``test.py`` of a model does not count."""
    return is_among_tests(path) or (item.tests and has_name_of_test(path))


def _by_directory(paths: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The files of each directory."""
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(posixpath.dirname(path), []).append(path)
    return found


def _directories(paths: Iterable[str]) -> frozenset[str]:
    """The directories around files."""
    found: set[str] = set()
    for path in paths:
        directory = posixpath.dirname(path)
        while directory and directory not in found:
            found.add(directory)
            directory = posixpath.dirname(directory)
    return frozenset(found)
