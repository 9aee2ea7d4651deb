"""The texts of the files of a project that were read last: the next question is often about one of them."""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Hashable
from pathlib import Path

from ...files.content.encoding import NotTextError, decode
from ...files.writing.copying import MAX_BYTES
from ...paths import join
from ...regular_files import read_inside

_MOST_CHARACTERS = 6_000_000
"""Of all texts that are kept as they are: of a project of any size, no more."""
_MOST_PACKED = 4_000_000
"""Bytes of texts behind them, compressed: to look through a project again reads no file again. Those that no
longer fit are read again."""
_SETTLED_NS = 100_000_000
"""After this time a change of a file has another time, on any file system in use."""


class RecentTexts:
    """Reads files below a directory, and again only those that have changed. For any thread.

    Args:
        root: The directory.
        max_bytes: Size of a file beyond which it is not read.
    """

    def __init__(self, root: str, max_bytes: int = MAX_BYTES) -> None:
        self.root = root
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Hashable, str | None]] = OrderedDict()
        self._characters = 0
        self._packed: dict[str, tuple[Hashable, bytes]] = {}
        self._packed_bytes = 0

    def __reduce__(self) -> tuple[type[RecentTexts], tuple[str, int]]:
        """Without the texts, which stay in the process."""
        return RecentTexts, (self.root, self.max_bytes)

    def text_at(self, path: str) -> str | None:
        """The text of a file; None of one that is not there, lies outside, is too large, or no text."""
        place = join(self.root, path)
        try:
            found = os.stat(place)  # noqa: PTH116 - asked for many files at each edit
        except OSError:
            return None
        sign = found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev
        with self._lock:
            kept = self._kept.get(path)
            if kept is not None and kept[0] == sign:
                self._kept.move_to_end(path)
                return kept[1]
            packed = self._packed.get(path)
            if packed is not None and packed[0] == sign:
                text: str | None = zlib.decompress(packed[1]).decode("utf-8", "surrogatepass")
                self._keep(path, sign, text)
                return text
        text = self._read(place)
        if time.time_ns() - found.st_mtime_ns > _SETTLED_NS:
            with self._lock:
                self._keep(path, sign, text)
        return text

    def _read(self, place: str) -> str | None:
        try:
            return decode(read_inside(Path(self.root), place, self.max_bytes)).text
        except (OSError, NotTextError):
            return None

    def _keep(self, path: str, sign: Hashable, text: str | None) -> None:
        before = self._kept.pop(path, None)
        self._kept[path] = sign, text
        self._characters += _size(text) - (_size(before[1]) if before is not None else 0)
        while self._characters > _MOST_CHARACTERS and len(self._kept) > 1:
            oldest, (its_sign, its_text) = self._kept.popitem(last=False)
            self._characters -= _size(its_text)
            if its_text is not None:
                self._pack(oldest, its_sign, its_text)

    def _pack(self, path: str, sign: Hashable, text: str) -> None:
        """Keep a text that was read some time ago, unless it is there from the time before."""
        before = self._packed.get(path)
        if before is not None and before[0] == sign:
            return
        if before is not None:
            self._packed_bytes -= len(self._packed.pop(path)[1])
        if len(text) > _MOST_PACKED - self._packed_bytes:
            return  # to make room would compress each text at each look through a project that is larger
        packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        self._packed[path] = sign, packed
        self._packed_bytes += len(packed)


def _size(text: str | None) -> int:
    return len(text or "") + 200
