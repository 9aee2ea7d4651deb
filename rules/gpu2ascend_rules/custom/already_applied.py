"""Where rules of the user's have been applied: there they are not applied again.

A rule such as "delete the first argument" matches again what it has made. Rules are therefore applied to the
text as it was given, each once at each place; of the text that they write themselves none looks at any.
"""

from __future__ import annotations

import bisect
import sys
from collections.abc import Iterable

from ..edits.offsets.offset_map import Inside, OffsetMap
from ..model.custom_rule import PREFIX
from ..model.finding import Edit, Finding


def is_custom(finding: Finding) -> bool:
    """Whether a rule of the user's made a finding."""
    return finding.code.startswith(PREFIX)


class AlreadyApplied:
    """The places in the present text. Offsets are moved along as it changes."""

    def __init__(self) -> None:
        self._written: list[tuple[int, int]] = []
        """Spans that do not overlap, by place."""
        self._applied: dict[tuple[str, int], frozenset[str]] = {}
        """By code and place, the lines of the rules in their file."""

    def after(
        self, edits: Iterable[Edit], applied: Iterable[tuple[Finding, tuple[Edit, ...]]]
    ) -> AlreadyApplied:
        """The places after a pass that made ``edits``, among them those of ``applied`` findings."""
        moves = OffsetMap(edits)
        later = AlreadyApplied()

        def begins(offset: int) -> int:
            """Before what is inserted there."""
            return moves.present(offset, Inside.START, past_insertions=False)

        def ends(offset: int) -> int:
            """Behind what is inserted there."""
            return moves.present(offset, Inside.END)

        written = {(begins(start), ends(end)) for start, end in self._written}
        for (code, at), lines in self._applied.items():
            later._add(code, begins(at), lines)
        for finding, own in applied:
            if is_custom(finding):
                later._add(finding.code, begins(finding.start), _lines(finding))
                written.update((begins(edit.start), ends(edit.end)) for edit in own)
        later._written = sorted(written)
        return later

    def _add(self, code: str, at: int, lines: frozenset[str]) -> None:
        self._applied[code, at] = self._applied.get((code, at), frozenset()) | lines

    def without(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings but for those of the user's rules on what these rules have done."""
        return tuple(item for item in findings if not (is_custom(item) and self._holds(item)))

    def _holds(self, finding: Finding) -> bool:
        index = bisect.bisect_right(self._written, (finding.start, sys.maxsize)) - 1
        if index >= 0 and finding.start < self._written[index][1]:
            return True
        return bool(self._applied.get((finding.code, finding.start), frozenset()) & _lines(finding))


def _lines(finding: Finding) -> frozenset[str]:
    """The lines of the rules that made a finding, which identify the rules of one file."""
    return frozenset(str(dict(finding.message.arguments).get("line", "")).split(", "))
