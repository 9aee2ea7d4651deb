"""Modules of a project that were parsed last, as the next question is often about one of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

from ...text.source_file import SourceFile

_MOST_BYTES = 1_000_000
"""Of source; a tree takes many times as much."""
_MOST_MODULES = 100
"""Also of small ones, which take more than their text."""


class RecentSources:
    """Keeps as many as fit; of a project of any size, no more. One that others hold is found for as long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, SourceFile] = OrderedDict()
        self._held: WeakValueDictionary[Hashable, SourceFile] = WeakValueDictionary()
        self._bytes = 0

    def __reduce__(self) -> tuple[type[RecentSources], tuple[()]]:
        """Without the trees, which stay in the process."""
        return RecentSources, ()

    def get(self, key: Hashable, make: Callable[[], SourceFile | None]) -> SourceFile | None:
        """The module that is known under a key, or else made."""
        source = self.known(key)
        if source is None:
            source = make()
            if source is not None:
                self.put(key, source)
        return source

    def known(self, key: Hashable) -> SourceFile | None:
        """The module under a key, if it need not be made."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._held.get(key)

    def all(self) -> list[tuple[Hashable, SourceFile]]:
        """The modules that are kept, with their keys, the oldest first."""
        with self._lock:
            return list(self._kept.items())

    def put(self, key: Hashable, source: SourceFile) -> None:
        """Keep a module under a key."""
        with self._lock:
            if key in self._kept:
                self._bytes -= len(self._kept.pop(key).data)
            self._kept[key] = self._held[key] = source
            self._bytes += len(source.data)
            while len(self._kept) > 1 and (self._bytes > _MOST_BYTES or len(self._kept) > _MOST_MODULES):
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.data)
