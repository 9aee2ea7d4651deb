"""What transfer_to_npu of a release replaces."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_name("patched.tsv")
_FIRST = (2, 1, 0)
"""Older releases are taken for this one."""


class Patched(NamedTuple):
    """A name that is replaced.

    Attributes:
        name: qualified, below ``torch``.
        how: ``device``, ``backend`` or ``both`` for a function whose arguments are changed; ``generator``,
            ``event`` and ``new`` for what makes objects; ``never`` for a question whose answer is False;
            ``= NAME`` for another object.
    """

    name: str
    how: str


def patched_by(version: tuple[int, ...]) -> tuple[Patched, ...]:
    """The names that a release replaces, in the order in which it must be done: whole objects first."""
    _, *rows = _TABLE.read_text(encoding="utf-8").splitlines()
    found = []
    for row in rows:
        name, how, releases = row.split("\t")
        if any(_is_within(max(version, _FIRST), span) for span in releases.split(",")):
            found.append(Patched(name, how))
    return tuple(sorted(found, key=lambda item: (not item.how.startswith("="), item.name)))


def _is_within(version: tuple[int, ...], span: str) -> bool:
    """Whether a release is in a span: ``2.1.0`` alone, ``2.1.0-2.4.0``, or ``2.1.0-`` for all that follow."""
    first, dash, last = span.partition("-")
    if not dash:
        return version == _numbers(first)
    return _numbers(first) <= version and (not last or version <= _numbers(last))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
