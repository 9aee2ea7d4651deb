"""The stacks of a process that ran out of time, as places of the project."""

from __future__ import annotations

import re
from pathlib import Path

from ...doctor.logs.frames import frame_of
from ..running.supervise import Run
from .failures import place_in
from .model import Failure, Place

_THREADS = re.compile(r"\n(?=Thread 0x|Current thread 0x)")


def innermost(stacks: str, project: Path) -> tuple[Place, ...]:
    """The lines of the project in the first thread that has some, the innermost last."""
    for thread in _THREADS.split(stacks):
        places = []
        for line in thread.splitlines():
            frame = frame_of(line)
            place = place_in(project, frame.path, frame.line, line.rpartition(" in ")[2]) if frame else None
            if place is not None:
                places.append(place)
        if places:
            return tuple(reversed(places))
    return ()


def hang(run: Run, project: Path, seconds: float) -> Failure:
    """A run that was given up: where its first rank with a line of the project was."""
    shown = ((record.rank, innermost(record.stacks, project)) for record in run.records)
    rank, places = next(((rank, places) for rank, places in shown if places), (0, ()))
    return Failure(rank=rank, type="TimeoutError", text=f"no end after {seconds:g} s", traceback=places)
