"""Which cases of a test CI runs, where many cases examine one property.

``pytest.mark.one_in(4)`` keeps a quarter of the cases of each test, at least one, in the sample. The others
are marked ``beyond_sample``, which `make test-all` leaves out and `make test-beyond` runs.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

BEYOND_SAMPLE = pytest.mark.beyond_sample
"""The mark of what is left out of the sample, for cases that are chosen by hand."""


def shares(count: int) -> list[Any]:
    """The numbers of the parts of a test that is divided by hand; the first one is the sample."""
    return [0, *(pytest.param(number, marks=BEYOND_SAMPLE) for number in range(1, count))]


def mark_beyond_sample(items: Iterable[pytest.Item]) -> None:
    """Mark the cases that ``one_in`` leaves out of the sample.
    A new case changes the choice among the others as little as possible: the smallest hashes stay. Tests with
    the same cases keep the same ones, whose set-up they may share."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("one_in"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for of_a_test in cases.values():
        for item in _left_out(of_a_test):
            item.add_marker(BEYOND_SAMPLE)


def _left_out(items: Sequence[pytest.Item]) -> Sequence[pytest.Item]:
    mark = items[0].get_closest_marker("one_in")
    assert mark is not None
    kept = -(-len(items) // int(mark.args[0]))
    return sorted(items, key=_hash)[kept:]


def _hash(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.partition("[")[2].encode())
