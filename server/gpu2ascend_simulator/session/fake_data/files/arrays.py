"""Arrays whose shape the code only shows in part: the rest is assumed, with sizes that nothing else has.

Such a size is recognized in the text of an error, which says what it should have been. What was assumed is
kept in a folder of the run, one file for each line that reads, so that another process assumes the same.
"""

from __future__ import annotations

import itertools
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SAMPLES = 131
"""Of the first axis of each array: one size for all, as they belong together."""
MORE_SAMPLES = 1031
"""Where these are not enough."""
_SMALLEST, _LARGEST, _SMALLEST_OF_MANY = 37, 251, 17
_ROWS, _MOST_ROWS = 2053, 2399
"""Of a table."""
_TABLE = "rows"
_MANY = 5
"""Axes with which an array has small sizes."""
_GUESS = 2
_MOST_AXES = 4
"""That are tried where nothing shows how many there are."""


@dataclass
class Array:
    """What is known and assumed of one array."""

    sizes: list[int]
    assumed: list[bool]
    """For each axis, whether its size is our own choice."""
    is_whole: bool
    """Whether it holds the integers 0 and 1."""
    is_exact: bool
    """Whether the code or an error shows how many axes there are."""
    keeps_last: bool = False
    """Whether it is the last axis, whichever that is, of which an error has shown the size."""

    @property
    def has_few(self) -> bool:
        """Whether it may have more samples."""
        return self.sizes[:1] == [SAMPLES] and self.assumed[0]

    @property
    def shown(self) -> str:
        """For people."""
        return " x ".join(map(str, self.sizes)) or "one number"


@dataclass
class Site:
    """The arrays that one line of the project reads, by their keys."""

    where: str
    arrays: dict[str, Array] = field(default_factory=dict)


class Assumed:
    """All that is assumed in this run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def sites(self) -> list[Site]:
        """All lines that read, the last one first."""
        paths = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        return [_site(path) for path in paths]

    def site(self, where: str) -> Site:
        """What is assumed of a line."""
        path = self._path(where)
        return _site(path) if path.exists() else Site(where)

    def save(self, site: Site) -> None:
        """Keep what is assumed of a line."""
        path = self._path(site.where)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(asdict(site)), encoding="utf-8")
        temporary.replace(path)

    def array(self, site: Site, key: str, rank: int, is_whole: bool, is_exact: bool) -> Array:
        """An array of a line, as it was assumed before or is assumed now; the caller saves the line."""
        if key not in site.arrays:
            count = max(rank, 1 if is_whole else _GUESS)
            made = Array([SAMPLES], [True], is_whole, is_exact)
            site.arrays[key] = made
            self.resize(site, made, count)
        return site.arrays[key]

    def table(self, site: Site, columns: int | None, is_whole: bool) -> Array:
        """Rows of numbers; the caller saves the line.

        Args:
            columns: As many as the code shows, if it does.
        """
        if _TABLE not in site.arrays:
            rows = next(self._fresh(_ROWS, site, _MOST_ROWS))
            count = columns or next(self._fresh(_SMALLEST, site))
            site.arrays[_TABLE] = Array([rows, count], [True, columns is None], is_whole, is_exact=True)
        return site.arrays[_TABLE]

    def scalar(self, site: Site, key: str, is_whole: bool) -> Array:
        """One number."""
        return site.arrays.setdefault(key, Array([], [], is_whole, True))

    def resize(self, site: Site, array: Array, rank: int) -> None:
        """Give an array another number of axes; those of one line share their sizes. One has several where
        all are used up."""
        known = max(site.arrays.values(), key=lambda other: len(other.sizes), default=array)
        fresh = self._fresh(_SMALLEST_OF_MANY if rank >= _MANY else _SMALLEST, site)
        for axis in range(len(array.sizes), rank):
            shared = axis < len(known.sizes)
            at = axis - array.keeps_last
            array.sizes.insert(at, known.sizes[at] if shared else next(fresh, _SMALLEST))
            array.assumed.insert(at, known.assumed[at] if shared else True)
        del array.sizes[rank:], array.assumed[rank:]

    def _fresh(self, smallest: int, site: Site, largest: int = _LARGEST) -> Iterator[int]:
        used = {
            size for other in (*self.sites(), site) for array in other.arrays.values() for size in array.sizes
        }
        sizes = itertools.chain(range(smallest, SAMPLES), range(max(SAMPLES + 1, smallest), largest + 1))
        return (size for size in sizes if size not in used and _is_prime(size))

    def _path(self, where: str) -> Path:
        return self.folder / f"{zlib.crc32(where.encode()):08x}.json"


def most_axes(array: Array) -> bool:
    """Whether no more axes are tried."""
    return len(array.sizes) >= _MOST_AXES


def values(array: Array, numpy: Any) -> Any:
    """The numbers of an array, always the same ones."""
    drawn = numpy.random.RandomState(len(array.sizes))
    if array.is_whole:
        return drawn.randint(0, 2, array.sizes).astype("int64")
    return drawn.uniform(0.1, 1, array.sizes).astype("float32")


def _site(path: Path) -> Site:
    found = json.loads(path.read_text(encoding="utf-8"))
    return Site(found["where"], {key: Array(**one) for key, one in found["arrays"].items()})


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
