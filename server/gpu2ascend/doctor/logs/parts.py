"""Which optional part of a library the failing code belongs to, and the setting that runs without it.

Most faults inside libraries are of one feature on the NPU. A run without it tells whether it is that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, takewhile
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

from ..tables import rows
from .failures import UNKNOWN, Failure
from .owners import OWN, owned_frames, owner_of_words
from .table import BY_CLASS, form_of

_INNER = 12
"""Frames, from the innermost outwards, that are looked at: those further out belong to every run."""
_OUTSIDE = frozenset(
    ("download", "option-value", "option-unknown", "permission", "file-exists", "data-file", "data-fields")
)
"""Rows of what a part is given, or reads."""
_WORD = r"(?:(?<![a-z])|(?![a-z]))(?:%s)"
"""A pattern, but not in the middle of a word: no ``vision`` in ``revision``."""
_CAUSED = {"in-capture": "graph", "data-dependent": "graph"}
"""Rows that know the cause, and the part that brings it, wherever the frames are."""


class _Part(NamedTuple):
    name: str
    within: frozenset[str]
    pattern: re.Pattern[str]
    option: str
    is_added: bool
    """Whether the option leaves the part out, or brings it."""


def part_of(failure: Failure) -> Message | None:
    """How to run without the part of the innermost fitting frame; None where that would tell nothing."""
    if not _is_open(failure):
        return None
    modules = set(_modules(failure))
    of_these = [one for one in _parts() if not one.within or not one.within.isdisjoint(modules)]
    known = _CAUSED.get(failure.name)
    fitting = (one for one in of_these if one.name == known) if known else _fitting(failure, of_these)
    part = next(fitting, None)
    if part is None:
        return None
    kind = "with" if part.is_added else "without"
    named = Message.of(f"doctor.log.part.{part.name}")
    return Message.of(f"doctor.log.part.{kind}", part=named, option=part.option)


def _fitting(failure: Failure, parts: list[_Part]) -> Iterator[_Part]:
    """Parts that the message speaks of, not only by a name, then those of the frames, innermost first.

    What the project's own code raised is not at fault in a part that called it.
    """
    inner = takewhile(lambda owned: owned[1] != OWN, owned_frames(failure.frames))
    frames = [frame for frame, _ in islice(inner, _INNER)]
    said = failure.statement or failure.text
    texts = ("" if form_of(said) else said, *(f"{frame.path} {frame.code}" for frame in frames))
    yield from (part for text in texts for part in parts if part.pattern.search(text))


def _is_open(failure: Failure) -> bool:
    """Whether a part may be at fault: not where something is missing or set wrongly outside of it."""
    if failure.name in _operator_rows() or failure.name in _CAUSED:
        return True
    is_known = failure.name != UNKNOWN and failure.kind not in BY_CLASS
    is_outside = failure.name in _OUTSIDE or {"module", "path", "tool", "wanted"} & set(failure.said)
    return not (is_known or is_outside)


def _modules(failure: Failure) -> Iterator[str]:
    """Those of the libraries that take part, by the frames and the words of the line."""
    yield from (owner.module for _, owner in owned_frames(failure.frames))
    named = owner_of_words(failure.text)
    if named is not None:
        yield named.module


@cache
def _parts() -> tuple[_Part, ...]:
    return tuple(
        _Part(
            row["part"],
            frozenset(filter(None, (row["within"] or "").split(","))),
            re.compile(_WORD % row["pattern"]),
            row["with"] or row["without"],
            bool(row["with"]),
        )
        for row in rows("parts")
    )


@cache
def _operator_rows() -> frozenset[str]:
    """Rows that say which operator failed, whoever called it."""
    return frozenset(
        name for row in rows("reasons") if "operator=" in row["said"] for name in row["id"].split(",")
    )
