"""Two traces against each other: the first tensor that differs, and what only one of them has."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from .trace import Event, Trace

TOLERANCES = {"float64": 1e-7, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}
"""By data type, the part of a tensor's size by which orders of sums and kernels account for a difference.
About a thousand units in the last place of float32, and four of the half types: a changed constant, type or
order of steps shows beyond it."""
_TOLERANCE_OF_OTHERS = 1e-1
"""Of floating-point types with still fewer digits."""
_OF_LARGEST = 1e-2
"""A gradient counts as at least this part of the largest one of its step: what sums up to nothing, as that of
a bias before a normalization, is rounding alone."""
_GRADIENTS = ("gradient", "parameter-gradient")


class Difference(NamedTuple):
    """A tensor that both traces have and that is not the same."""

    first: Event
    second: Event
    what: str
    """``shape``, ``dtype``, ``hash``, or the name of a statistic."""
    one: str
    other: str


@attrs.frozen(kw_only=True)
class Compared:
    """What comes of two traces."""

    common: int
    """Tensors of which both have numbers."""
    unread: int = 0
    """Tensors that both have, and of which one has no numbers: sparse ones, or of no device."""
    difference: Difference | None
    """The first one, in the order of the first trace."""
    differing: int = 0
    """How many of those that both have differ."""
    only_first: tuple[Event, ...] = ()
    only_second: tuple[Event, ...] = ()
    is_truncated: bool = False
    """Whether a trace ends before its steps do."""

    @property
    def is_same(self) -> bool:
        """Whether both have the same tensors, but for rounding."""
        return self.common > 0 and self.difference is None and not (self.only_first or self.only_second)


def compare_traces(first: Trace, second: Trace) -> Compared:
    """Hold each tensor against the one of the same kind and name that comes as often after the beginning."""
    others = dict(_numbered(second.events))
    largest = _largest_gradients(first.events)
    differences: list[Difference] = []
    only_first: list[Event] = []
    common = count = unread = 0
    for key, event in _numbered(first.events):
        other = others.pop(key, None)
        if other is None:
            only_first.append(event)
            continue
        difference = difference_of(event, other, largest.get((event.kind, event.step), {}))
        if difference is None and not _have_numbers(event, other):
            unread += 1
            continue
        common += 1
        if difference is not None:
            count += 1
            differences = differences or [difference]
    return Compared(
        common=common,
        unread=unread,
        difference=differences[0] if differences else None,
        differing=count,
        only_first=tuple(only_first),
        only_second=tuple(others.values()),
        is_truncated=first.is_truncated or second.is_truncated,
    )


def _numbered(events: Sequence[Event]) -> Iterator[tuple[tuple[str, str, int, int], Event]]:
    seen: Counter[tuple[str, str, int]] = Counter()
    for event in events:
        key = (event.kind, event.name, event.index)
        seen[key] += 1
        yield (*key, seen[key]), event


def _largest_gradients(events: Sequence[Event]) -> dict[tuple[str, int], dict[str, float]]:
    largest: dict[tuple[str, int], dict[str, float]] = {}
    for event in events:
        if event.kind in _GRADIENTS:
            sizes = largest.setdefault((event.kind, event.step), {})
            for name in event.statistics:
                sizes[name] = max(sizes.get(name, 0.0), _OF_LARGEST * _size(name, event, event))
    return largest


def difference_of(one: Event, other: Event, least: Mapping[str, float]) -> Difference | None:
    """How two tensors differ; None where they do not, but for rounding.

    Args:
        least: The size, by statistic, that a tensor counts as at least.
    """
    if one.shape != other.shape:
        return Difference(one, other, "shape", _shape(one), _shape(other))
    if one.dtype != other.dtype:
        return Difference(one, other, "dtype", one.dtype, other.dtype)
    if not _have_numbers(one, other) or (one.hash is not None and one.hash == other.hash):
        return None
    is_rounded = one.dtype.startswith(("float", "bfloat", "complex"))
    if not is_rounded and one.hash is not None and other.hash is not None:
        return Difference(one, other, "hash", one.hash, other.hash)
    tolerance = TOLERANCES.get(one.dtype if is_rounded else "float64", _TOLERANCE_OF_OTHERS)
    for name, value in one.statistics.items():
        beside = other.statistics.get(name, math.nan)
        if not _are_close(value, beside, tolerance * max(_size(name, one, other), least.get(name, 0.0))):
            return Difference(one, other, name, f"{value:.6g}", f"{beside:.6g}")
    return None


def _have_numbers(one: Event, other: Event) -> bool:
    """Whether two tensors can be compared by more than shape and type."""
    return None not in (one.hash, other.hash) or bool(one.statistics and other.statistics)


def _size(name: str, one: Event, other: Event) -> float:
    """What a difference of a statistic is measured by."""
    if name == "not_finite":
        return 0.0
    by = ("norm",) if name in ("norm", "sine", "cosine") else ("minimum", "maximum")
    sizes = [abs(event.statistics.get(key, 0.0)) for event in (one, other) for key in by]
    return max((size for size in sizes if math.isfinite(size)), default=0.0)


def _are_close(one: float, other: float, within: float) -> bool:
    if math.isfinite(one) and math.isfinite(other):
        return abs(one - other) <= within
    return one == other or (math.isnan(one) and math.isnan(other))


def _shape(event: Event) -> str:
    return "x".join(map(str, event.shape)) or "1"
