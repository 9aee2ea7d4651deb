"""What the simulated device noted, as plain data for the record."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..cann.start import begin, is_emulated
from .record import Record
from .settings import Settings

_TRACE = "gpu2ascend_simulator.device.trace"


def prepare(settings: Settings) -> None:
    """Tell the device which lines are the project's, once it is there."""
    if is_emulated():
        begin(settings.limits, settings.compares)
    trace = sys.modules.get(_TRACE)
    if trace is None:
        return
    trace.follow(Path(settings.root))
    if settings.compares and not is_emulated():
        from ..device.randomness.generators import share_with_cpu

        share_with_cpu()


def collect(record: Record) -> None:
    """Put the operators that ran, and what the device refused, into a record."""
    trace = sys.modules.get(_TRACE)
    if trace is None:
        return
    record.notes = {
        "operators": [
            {"name": use.name, "count": use.count, "line": _line(use.first)} for use in trace.uses()
        ],
        "refusals": [
            {
                "kind": refusal.kind,
                "operator": refusal.operator,
                "detail": refusal.detail,
                "line": _line(refusal.line),
                "count": count,
            }
            for refusal, count in trace.refusals()
        ],
    }


def _line(line: Any) -> list[Any] | None:
    return None if line is None else [line.path, line.number]


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Take back what is noted of operators meanwhile."""
    trace: Any = sys.modules.get(_TRACE)
    if trace is None:
        yield
        return
    before = {name: (use.count, use.first) for name, use in trace.RECORDED.uses.items()}
    try:
        yield
    finally:
        for name, use in trace.RECORDED.uses.items():
            use.count, use.first = before.get(name, (0, None))
