"""Compares the losses of the original on the CPU with those of the migrated project, and then the tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ..project.errors import InputError
from .result.failures import first_failure
from .result.model import Comparison, Failure
from .result.stacks import hang
from .running.supervise import Ending, Run
from .traces.differing import Compared, compare_traces
from .traces.trace import read_trace

RELATIVE = 1e-3
"""What other orders of sums and half precision account for; a changed computation differs by more."""
ABSOLUTE = 1e-5


def compared(migrated: Sequence[float], run: Run, original: Run, source: Path) -> Comparison:
    """The losses of both, as far as both have some, and the first that differs, with the first tensor.

    Args:
        migrated: The losses of the migrated project.
        run: Its run.
        original: The run of the original.
        source: The directory of the original.
    """
    losses = next((record.losses for record in original.records if record.losses), ())
    pairs = list(zip(losses, migrated, strict=False))
    different = next((number for number, (one, other) in enumerate(pairs) if not alike(one, other)), None)
    return Comparison(
        original=losses,
        migrated=tuple(migrated),
        first_difference=different,
        is_same=bool(pairs) and different is None,
        failure=_failure(original, source),
        tensors=_tensors(original, run) if different is not None else None,
    )


def _tensors(original: Run, migrated: Run) -> Compared | None:
    """The tensors of the first processes that trained; None where one has left no trace."""
    one, other = (
        next((record.trace for record in run.records if record.trace is not None), None)
        for run in (original, migrated)
    )
    if one is None or other is None:
        return None
    try:
        return compare_traces(read_trace(one), read_trace(other))
    except InputError:  # written in part: the process was ended meanwhile
        return None


def _failure(original: Run, source: Path) -> Failure | None:
    """Why the original did not make its steps."""
    if original.ending is Ending.DONE:
        return None
    failure = first_failure(original, source)
    if failure is None and original.ending is Ending.TIMEOUT:
        return hang(original, source, original.seconds)
    return failure


def alike(one: float, other: float) -> bool:
    """Whether two losses are the same, but for rounding. Two that are no numbers are."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
