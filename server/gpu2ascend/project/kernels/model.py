"""A kernel with its size. Plain data."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gpu2ascend_rules.data import load_tsv

CUDA, TRITON = "cuda", "triton"
EFFORTS = ("XS", "S", "M", "L")


class Caller(NamedTuple):
    """A place of the project's Python that reaches a kernel."""

    path: str
    line: int
    name: str
    """The function around it; empty in a module's own code."""


class SizedKernel(NamedTuple):
    """A kernel, what it is made of, and what it takes to port it."""

    language: str
    path: str
    """Within the project, with ``/``."""
    name: str
    first_line: int
    last_line: int
    features: tuple[str, ...]
    effort: str
    low: float
    """Days, at least."""
    high: float
    way: str
    """What to do: the message ``kernel.way.<way>``."""
    callers: tuple[Caller, ...] = ()
    has_fallback: bool = False
    """Whether the Python side does without it where it cannot be imported."""
    is_macro: bool = False

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.last_line - self.first_line + 1


class KernelTotal(NamedTuple):
    """All kernels together."""

    kernels: int
    lines: int
    by_effort: tuple[tuple[str, int], ...]
    low: float
    high: float
    with_fallback: int
    """How many of them the Python side does without where they are missing; the days are with them."""


class Effort(NamedTuple):
    """A row of the table."""

    way: str
    effort: str
    low: float
    high: float


def effort_of(language: str, words: str, features: tuple[str, ...]) -> Effort:
    """The first row of the table that holds: by the kernel's name and file, and by what it is made of."""
    lowered = words.lower().replace("_", "")
    for row in _rows():
        if row["language"] != language:
            continue
        names, wanted = row["names"].split(), row["features"].split()
        is_named = any(name.replace("_", "") in lowered for name in names)
        if is_named or any(name in features for name in wanted) or not (names or wanted):
            return Effort(row["way"], row["effort"], float(row["low"]), float(row["high"]))
    raise LookupError(language)


@cache
def _rows() -> tuple[dict[str, str], ...]:
    return load_tsv("kernel_effort")


def total_of(kernels: tuple[SizedKernel, ...]) -> KernelTotal:
    """The sums."""
    return KernelTotal(
        len(kernels),
        sum(item.lines for item in kernels),
        tuple((effort, sum(item.effort == effort for item in kernels)) for effort in EFFORTS),
        round(sum(item.low for item in kernels), 1),
        round(sum(item.high for item in kernels), 1),
        sum(item.has_fallback for item in kernels),
    )
