"""Ratios that hold on any machine: both sides measured in one run, turn about, compared by medians."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

SHORTEST_SAMPLE = 0.002
"""Seconds: what takes less is run several times a sample, or the clock would be a part of the figure."""


class Pair(NamedTuple):
    """The median seconds of what is measured and of what it is compared with."""

    measured: float
    reference: float

    @property
    def ratio(self) -> float:
        """How many times the reference it takes."""
        return self.measured / self.reference


def let_bytecode_be_kept() -> None:
    """Have every process write its bytecode, whatever the shell says: only a first start compiles."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


class ProcessCost(NamedTuple):
    """What a process took, workers that it waited for included."""

    seconds: float
    peak_kib: int
    """The largest resident size that any one of its processes reached."""
    processor_seconds: float


def interleaved(
    measured: Callable[[], object],
    reference: Callable[[], object],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> Pair:
    """Run both turn about, so that a slow moment of the machine hits both.

    The garbage collector rests meanwhile; a collection would land on either side by chance. The clock
    counts processor time: what other programs take would, too. Whole processes need a wall clock.
    """
    ours: list[float] = []
    theirs: list[float] = []
    measured(), reference()  # warm caches; not counted
    gc.collect()
    gc.disable()
    try:
        our_calls, their_calls = _calls(measured, clock), _calls(reference, clock)
        for _ in range(rounds):
            theirs.append(_seconds(reference, clock, their_calls))
            ours.append(_seconds(measured, clock, our_calls))
    finally:
        gc.enable()
    return Pair(statistics.median(ours), statistics.median(theirs))


def _calls(function: Callable[[], object], clock: Callable[[], float]) -> int:
    """How many calls make a sample."""
    return max(1, round(SHORTEST_SAMPLE / max(_seconds(function, clock, 1), 1e-6)))


def _seconds(function: Callable[[], object], clock: Callable[[], float], calls: int) -> float:
    start = clock()
    for _ in range(calls):
        function()
    return (clock() - start) / calls


def run_process(command: Sequence[str], accepted: frozenset[int] = frozenset({0})) -> ProcessCost:
    """Run a command to its end.
    Raises RuntimeError: it ended with another exit code than the accepted ones."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode not in accepted:
        raise RuntimeError(
            f"{command[0]} exited with {process.returncode}: {errors.decode(errors='replace')}"
        )
    return ProcessCost(seconds, usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
