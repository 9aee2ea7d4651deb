"""How many lines a migration edits and leaves, by class of effort and by entry, and the hours that may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Applicability, Finding, Severity

from ..verdict.way import ON_THE_WAY, Way
from .classes import Effort, Findings, Key, cause_of, is_to_do

_GRAVITY = (Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT)


class Minutes(NamedTuple):
    """A range."""

    least: float
    most: float


class Rate(NamedTuple):
    """What a cause takes: to understand it once, with its first line, and each further line."""

    first: Minutes
    further: Minutes


RATES: Mapping[Effort, Rate] = {
    Effort.LOW: Rate(Minutes(2, 10), Minutes(0.5, 3)),
    Effort.MEDIUM: Rate(Minutes(15, 60), Minutes(3, 15)),
    Effort.HIGH: Rate(Minutes(240, 2400), Minutes(5, 30)),
}
"""Assumptions, and shown as such beside every estimate: half a day to a week for another operator, library or
kernel; a quarter of an hour to an hour for a line that must be written; minutes for a fix that is offered."""


@attrs.frozen(kw_only=True)
class Left:
    """What is left of a project, or of what one of its programs reaches."""

    lines: Mapping[Effort, int]
    causes: Mapping[Effort, int]
    hours: tuple[float, float]
    """The least and the most, by :data:`RATES`."""

    @property
    def review(self) -> int:
        """Lines to look at: a fix is offered, or there is something to decide."""
        return self.lines[Effort.LOW]

    @property
    def write(self) -> int:
        """Lines to write by hand."""
        return self.lines[Effort.MEDIUM] + self.lines[Effort.HIGH]


@attrs.frozen(kw_only=True)
class Work:
    """The figures that every document shows."""

    edited: int | None
    """Lines that are edited automatically; None of a project that was only looked at."""
    left: Left
    entries: Mapping[str, Left] = attrs.field(factory=dict)
    """What is left on the way of each program for which something is, the most first; a line may be on
    several ways."""


@attrs.define
class _Cause:
    findings: Findings
    lines: int = 0
    by_entry: Counter[str] = attrs.field(factory=Counter)
    on_every_way: int = 0
    """Lines in files of which nothing shows what reaches them."""


@attrs.define
class WorkCounter:
    """Counts file by file. It grows with the causes and the entries, not with the files."""

    edited: int = 0
    _causes: dict[Key, _Cause] = attrs.field(factory=dict)

    def add(self, found: Iterable[tuple[Finding, Hashable]], way: Way = ON_THE_WAY, edited: int = 0) -> None:
        """Note a file.

        Args:
            found: What is left, each with its line.
            edited: Lines of it that are edited automatically; an added line (an import) does not count.
        """
        self.edited += edited
        gravest: dict[Hashable, Finding] = {}
        for finding, line in found:
            if is_to_do(finding):
                cause = self._causes.setdefault(cause_of(finding), _Cause(Findings(finding.code)))
                cause.findings.add(finding)
                if line not in gravest or _weight(finding) < _weight(gravest[line]):
                    gravest[line] = finding
        for finding in gravest.values():
            cause = self._causes[cause_of(finding)]
            cause.lines += 1
            cause.by_entry.update(way.reached_from)
            cause.on_every_way += not (way.reached_from or way.is_outside)

    def work(self, *, is_edited: bool = True) -> Work:
        """The figures, when all files are counted."""
        causes = list(self._causes.values())
        entries = {
            entry: _left(
                (cause.findings.effort, cause.by_entry[entry] + cause.on_every_way) for cause in causes
            )
            for entry in sorted({entry for cause in causes for entry in cause.by_entry})
        }
        return Work(
            edited=self.edited if is_edited else None,
            left=_left((cause.findings.effort, cause.lines) for cause in causes),
            entries=dict(sorted(entries.items(), key=lambda item: -item[1].hours[1])),
        )


def _weight(finding: Finding) -> tuple[bool, int]:
    """What a line counts for that has several findings: the one that is most to do."""
    return finding.applicability is not Applicability.MANUAL, _GRAVITY.index(finding.severity)


def _left(causes: Iterable[tuple[Effort, int]]) -> Left:
    lines: Counter[Effort] = Counter()
    counts: Counter[Effort] = Counter()
    least = most = 0.0
    for effort, count in causes:
        if count:
            lines[effort] += count
            counts[effort] += 1
            first, further = RATES[effort]
            least += first.least + (count - 1) * further.least
            most += first.most + (count - 1) * further.most
    return Left(
        lines={effort: lines[effort] for effort in Effort},
        causes={effort: counts[effort] for effort in Effort},
        hours=(_hours(least), _hours(most)),
    )


def _hours(minutes: float) -> float:
    """Hours with as many digits as an estimate has: tenths, and whole ones from ten on."""
    hours = minutes / 60
    return round(hours, 1) if hours < 10 else float(round(hours))
