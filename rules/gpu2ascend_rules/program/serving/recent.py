"""Modules of a project that were parsed last, as the next question is often about one of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from ...text.source_file import SourceFile

_MOST_BYTES = 2_000_000
"""Of source; a tree takes many times as much."""


class RecentSources:
    """Keeps as many as fit; of a project of any size, no more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, SourceFile] = OrderedDict()
        self._bytes = 0

    def __reduce__(self) -> tuple[type[RecentSources], tuple[()]]:
        """Without the trees, which stay in the process."""
        return RecentSources, ()

    def get(self, key: Hashable, make: Callable[[], SourceFile | None]) -> SourceFile | None:
        """The module that is kept under a key, or else made."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        source = make()
        if source is not None:
            self._keep(key, source)
        return source

    def _keep(self, key: Hashable, source: SourceFile) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = source
            self._bytes += len(source.data)
            while self._bytes > _MOST_BYTES and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.data)
