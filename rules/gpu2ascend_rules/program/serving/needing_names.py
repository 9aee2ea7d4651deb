"""What the modules of a project need of CUDA, by the names that others import: one fixed point of all.

It is reached from below: first what needs CUDA by itself, then those who name that, and so on. So modules
that import one another have one answer, whoever is asked about first, and a module that names nothing which
needs CUDA is not parsed.
"""

from __future__ import annotations

import contextvars
import re
import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from heapq import heappop, heappush

from ...flow.guards.needing.hints import may_need_by_itself, may_need_without_hint

Names = frozenset[str]
_STAR = re.compile(r"import[ \t\\\r\n]*\*")


class NeedingNames:
    """The fixed point of some modules.

    Args:
        paths: Of the modules.
        hinted: Those of which it is known that :func:`may_need_cuda` holds; it does of no others.
        imports: Gives the modules of the project that one may import.
        sign_of: Gives what is the same as long as the text of a module is.
        text_of: Gives the text of a module, nothing for one that cannot be read.
        names_of: Gives the names of a module that need CUDA, by what :meth:`of` gives of others meanwhile.
        extensions: The last parts of the names of extensions that the project builds.
    """

    def __init__(
        self,
        paths: Iterable[str],
        hinted: Collection[str],
        imports: Callable[[str], Iterable[str]],
        sign_of: Callable[[str], Hashable],
        text_of: Callable[[str], str],
        names_of: Callable[[str], Names],
        extensions: Names,
    ) -> None:
        self._paths = frozenset(paths)
        self._hinted = hinted
        self._imports = imports
        self._sign_of = sign_of
        self._text_of = text_of
        self._names_of = names_of
        self._extensions = extensions
        self._names: dict[str, Names] = {}
        self._asked: dict[str, set[str]] = {}
        """By module that was looked into, those that it asked about."""
        self._asking: set[str] = set()
        self._signs: dict[str, Hashable] = {}
        self._lock = threading.RLock()
        self._has_begun = False

    def keep(self, before: NeedingNames, same: Collection[str] = ()) -> bool:
        """Go on from an earlier state of the project, if the names are surely the same.

        Args:
            before: What that state had; nothing is known of this one yet.
            same: The modules whose edits left their code.
        """
        with before._lock:
            if not before._has_begun:
                return True
            if self._paths != before._paths or self._extensions != before._extensions:
                return False
            signs = {path: self._sign_of(path) for path in self._paths}
            edited = (path for path in sorted(self._paths) if signs[path] != before._signs[path])
            changed = [path for path in edited if path not in same]
            if any(before._may_differ(path, self._text_of(path)) for path in changed):
                return False
            self._names, self._asked = before._names, before._asked
            self._signs, self._has_begun = signs, True
            return True

    def _may_differ(self, path: str, text: str) -> bool:
        """Whether a module with another text may need CUDA that did not, or something else than it did."""
        names = frozenset[str]().union(*self._names.values())
        may_begin = may_need_by_itself(_bytes_of(text), self._extensions)
        return path in self._asked or may_begin or _mentions(text, names)

    def of(self, path: str) -> Names:
        """The names of a module that need CUDA."""
        self._begin()
        self._asking.add(path)
        return self._names.get(path, frozenset())

    def may_use(self, path: str) -> bool:
        """Whether a module may use what needs CUDA at all."""
        self._begin()
        return path in self._asked or path not in self._paths

    def _begin(self) -> None:
        with self._lock:
            if not self._has_begun:
                self._has_begun = True
                self._signs = {path: self._sign_of(path) for path in self._paths}
                # Of the whole project, so that neither the time of one file nor who waits for it ends it.
                contextvars.Context().run(self._reach)

    def _reach(self) -> None:
        begin = [path for path in sorted(self._paths) if path in self._hinted or self._may_begin(path)]
        if not begin:
            return
        edges = {path: self._paths.intersection(self._imports(path)) for path in self._paths}
        ranks, importers = _ranks(edges), _importers(edges)
        heap = sorted((ranks[path], path) for path in begin)
        waiting: dict[str, list[tuple[str, Names]]] = {path: [] for path in begin}
        while heap:
            _, path = heappop(heap)
            reasons = waiting.pop(path)
            new = self._added(path) if not reasons or self._is_concerned(path, reasons) else frozenset()
            for other in importers(path) if new else ():
                if other not in waiting:
                    waiting[other] = []
                    heappush(heap, (ranks[other], other))
                elif not waiting[other]:
                    continue  # it is looked into without a reason
                waiting[other].append((path, new))

    def _may_begin(self, path: str) -> bool:
        return may_need_without_hint(_bytes_of(self._text_of(path)), self._extensions)

    def _added(self, path: str) -> Names:
        """Look into a module; gives its names that were not known to need CUDA."""
        self._asking = self._asked[path] = set()
        known = self._names.get(path, frozenset())
        new = self._names_of(path) - known
        self._names[path] = known | new
        return new

    def _is_concerned(self, path: str, reasons: Iterable[tuple[str, Names]]) -> bool:
        """Whether names that need CUDA in other modules may make one need it; its text is read once."""
        asked = self._asked.get(path)
        if asked is not None:
            return any(other in asked for other, _ in reasons)
        return _mentions(self._text_of(path), frozenset[str]().union(*(names for _, names in reasons)))


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _mentions(text: str, names: Names) -> bool:
    return bool(names) and (_STAR.search(text) is not None or any(name in text for name in names))


def _ranks(edges: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """A number for each module, those of its imports lower, but for circles."""
    ranks: dict[str, int] = {}
    seen: set[str] = set()
    for first in sorted(edges):
        ways = [(first, iter(sorted(edges[first])))] if first not in seen else []
        seen.add(first)
        while ways:
            path, rest = ways[-1]
            other = next((item for item in rest if item not in seen), None)
            if other is None:
                ranks[path] = len(ranks)
                ways.pop()
            else:
                seen.add(other)
                ways.append((other, iter(sorted(edges[other]))))
    return ranks


def _importers(edges: Mapping[str, Iterable[str]]) -> Callable[[str], list[str]]:
    """What gives the modules that import one, or a package that it is in."""
    found: dict[str, list[str]] = {}
    for path in sorted(edges):
        for other in edges[path]:
            found.setdefault(other, []).append(path)

    def of(path: str) -> list[str]:
        steps = path.split("/")[:-1]
        packages = ("/".join([*steps[:count], "__init__.py"]) for count in range(len(steps) + 1))
        around = (other for place in (path, *packages) for other in found.get(place, ()))
        return [other for other in dict.fromkeys(around) if other != path]

    return of
