"""The failures that a log shows: texts of a table, each with the place in the code where it was raised."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ..tables import rows
from .frames import Frame, frame_of

_LONGEST = 4000
"""Characters of a line that are looked at."""
_FRAMES = 50
_GAP = 200
"""Lines after which a traceback has nothing to do with an error any more."""


class Failure(NamedTuple):
    """A text of the table, where the log shows it first."""

    name: str
    """Its id in the table; ``doctor.log.<id>.cause`` and ``.remedy`` are its messages."""
    line: int
    """In the log, from 1."""
    text: str
    """The line."""
    rules: tuple[str, ...]
    frames: tuple[Frame, ...]
    """Of the traceback above, the innermost last."""
    lines: int = 1
    """How many lines show it."""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]:
    return tuple(
        (row["id"], re.compile(row["pattern"]), tuple(filter(None, row["rules"].split(","))))
        for row in rows("failures")
    )


def failures(lines: Iterable[str]) -> list[Failure]:
    """What goes wrong in a log, each failure once, in the order in which the log shows them."""
    found: dict[str, Failure] = {}
    frames: deque[tuple[int, Frame]] = deque(maxlen=_FRAMES)
    for number, whole in enumerate(lines, 1):
        line = whole.rstrip("\r\n")[:_LONGEST]
        frame = frame_of(line)
        if frame is not None:
            frames.append((number, frame))
            continue
        if "Traceback (most recent call last)" in line:
            frames.clear()
            continue
        for name, pattern, rules in _patterns():
            if pattern.search(line):
                near = tuple(item for at, item in frames if number - at <= _GAP)
                first = found.get(name)
                found[name] = (
                    first._replace(lines=first.lines + 1)
                    if first is not None
                    else Failure(name, number, line.strip(), rules, near)
                )
                break
    return list(found.values())
