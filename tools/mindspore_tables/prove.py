"""Which entries hold: every sample that an entry translates is run with both libraries and compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gpu2ascend_mindspore.correspondences.entry import Entry, read_entry
from gpu2ascend_mindspore.correspondences.values import Refused

from .running import RANDOM, Agreement, Outcome, agreement, drain, of_mindspore, of_torch
from .translate import translate

Row = dict[str, str]


class Proof(NamedTuple):
    """What the samples of an API show of its entries."""

    sample: str
    text: str
    """The translation; empty where the entries refuse."""
    outcome: Outcome | None
    used: tuple[Entry, ...] = ()
    """The entries that made the translation."""


class Bench:
    """Runs samples; what torch gives is computed once."""

    def __init__(self) -> None:
        self._torch: dict[tuple[str, tuple[str, ...]], tuple[Any, Any] | None] = {}

    def run(
        self,
        sample: str,
        inputs: tuple[str, ...],
        table: Mapping[str, Sequence[Entry]],
        compute: Callable[[str, tuple[str, ...], Any], Any] = of_mindspore,
    ) -> Proof | None:
        """What a sample shows; None where torch itself refuses it."""
        expected = self._expected(sample, inputs)
        if expected is None:
            return None
        try:
            text, used = translate(sample, table)
        except Refused:
            return Proof(sample, "", None)
        drain()
        try:
            ours = compute(text, inputs, expected[1])
            outcome = agreement(expected[0], ours, random=inputs == RANDOM)
        except Exception as error:
            outcome = Outcome(
                Agreement.RAISES,
                f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}",
            )
        return Proof(sample, text, outcome, tuple(used))

    def _expected(self, sample: str, inputs: tuple[str, ...]) -> tuple[Any, Any] | None:
        key = (sample, inputs)
        if key not in self._torch:
            try:
                self._torch[key] = of_torch(sample, inputs)
            except Exception:
                self._torch[key] = None
        return self._torch[key]


def entries(rows: Sequence[Row]) -> dict[str, list[Entry]]:
    """A table by API."""
    found: dict[str, list[Entry]] = {}
    for row in rows:
        found.setdefault(row["api"], []).append(read_entry(row))
    return found
