"""A trace as it was written by ``gpu2ascend_simulator.tracing``, read as what others made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from gpu2ascend_rules.model.finding import Message

from ...project.errors import InputError, reason
from ...project.paths import shown
from ...project.regular_files import read_regular

FORMAT = 1
_MAX_BYTES = 500_000_000
_KINDS = frozenset({"parameter", "input", "output", "gradient", "parameter-gradient"})


@attrs.frozen(kw_only=True)
class Event:
    """A tensor at one moment."""

    step: int
    """Steps of optimizers that were made before."""
    kind: str
    name: str
    """Of the module or the parameter, from the class of the model on."""
    index: int
    """Which of the tensors of the module."""
    shape: tuple[int, ...]
    dtype: str
    line: str | None = None
    """That called the module: the path relative to the project, and the number."""
    type: str | None = None
    """Of the module."""
    made: str | None = None
    """The line that made the module."""
    hash: str | None = None
    """Of its bytes."""
    statistics: Mapping[str, float] = attrs.field(factory=dict)
    values: tuple[float, ...] = ()
    """The first ones, if the user asked for them."""


@attrs.frozen(kw_only=True)
class Trace:
    """What one process computed, in order."""

    events: tuple[Event, ...]
    rank: int = 0
    steps: int = 0
    is_truncated: bool = False
    """Whether there was more than a trace holds."""


def read_trace(path: Path) -> Trace:
    """Read a trace. Raises InputError: it cannot be read, or is no trace."""
    try:
        return _trace(json.loads(read_regular(path, _MAX_BYTES)))
    except OSError as error:
        raise InputError(Message.of("trace.unreadable", path=shown(path), reason=reason(error))) from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(Message.of("trace.none", path=shown(path))) from error


def _trace(content: Mapping[str, Any]) -> Trace:
    if content["format"] != FORMAT:
        raise ValueError
    return Trace(
        events=tuple(map(_event, content["events"])),
        rank=int(content["rank"]),
        steps=int(content["steps"]),
        is_truncated=bool(content["truncated"]),
    )


def _event(content: Mapping[str, Any]) -> Event:
    if content["kind"] not in _KINDS:
        raise ValueError
    return Event(
        step=int(content["step"]),
        kind=content["kind"],
        name=str(content["name"]),
        index=int(content["index"]),
        shape=tuple(map(int, content["shape"])),
        dtype=str(content["dtype"]),
        line=_text(content.get("line")),
        type=_text(content.get("type")),
        made=_text(content.get("made")),
        hash=_text(content.get("hash")),
        statistics={str(name): float(value) for name, value in content.get("statistics", {}).items()},
        values=tuple(map(float, content.get("values", ()))),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)
