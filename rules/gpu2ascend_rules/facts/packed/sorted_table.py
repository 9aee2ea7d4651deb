"""A tab-separated text sorted by its first column: opened by reading it, searched by halving it."""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

# Not pathlib: to import it takes longer than to load the tables, and this is on the start-up path.
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120


class SortedTable:
    """Rows of texts, by key. Nothing is parsed but the rows that are asked for."""

    def __init__(self, data: bytes) -> None:
        """``data`` is UTF-8 with one row a line, in the byte order of the keys, ending in a newline."""
        self._data = data

    @classmethod
    def packaged(cls, name: str, folder: str = _FOLDER) -> SortedTable:
        """A table of this package, or of another folder, by its file name."""
        with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123
            return cls(file.read())

    def find(self, key: str) -> list[str] | None:
        """The columns after the key, or None."""
        start = self._lower_bound(key.encode())
        if not self._data.startswith(key.encode() + b"\t", start):
            return None
        return self._row_at(start)[1:]

    def as_mapping(self) -> dict[str, str]:
        """The first column after each key, made for all rows at once: for looking up thousands of names."""
        rows = (line.split("\t", 2) for line in self._data.decode().splitlines())
        return {row[0]: row[1] for row in rows}

    def starting_with(self, prefix: str) -> Iterator[list[str]]:
        """Every row, key first, whose key starts with ``prefix``."""
        wanted = prefix.encode()
        start = self._lower_bound(wanted)
        while self._data.startswith(wanted, start) and start < len(self._data):
            yield self._row_at(start)
            start = self._data.index(b"\n", start) + 1

    def rows_with(self, column: re.Pattern[str]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        """Each row in which the pattern, which begins with the tab, finds a column: its key and the groups
        of every find. One search over the whole text, instead of a look at each row."""
        text = self._data.decode()
        found: dict[int, list[tuple[str, ...]]] = {}
        for match in column.finditer(text):
            found.setdefault(text.rfind("\n", 0, match.start()) + 1, []).append(match.groups())
        for start, groups in found.items():
            yield text[start : text.index("\t", start)], groups

    def _row_at(self, start: int) -> list[str]:
        return self._data[start : self._data.index(b"\n", start)].decode().split("\t")

    def _lower_bound(self, key: bytes) -> int:
        """Where the first row starts whose key is not less than ``key``."""
        data = self._data
        low, high = 0, len(data)
        while low < high:
            middle = (low + high) // 2
            start = data.rfind(b"\n", low, middle) + 1 or low
            if data[start : data.index(b"\t", start)] < key:
                low = data.index(b"\n", start) + 1
            else:
                high = start
        return low
