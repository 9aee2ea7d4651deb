"""What is left of a project by entry, counted while its files are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

import attrs

from gpu2ascend_rules.model.finding import UNDECIDED, Severity

from .effort.work import Work, WorkCounter
from .result import FileOutcome, Summary
from .verdict.verdict import EntryCount, Verdict
from .verdict.way import Standing, Way

_CUDA_SOURCE = "NPU1401"
_ADDED_IMPORT = "fix.import"
"""The message of an edit that adds a line for what others of the file need."""


@attrs.define
class Tally:
    """Counts what is left by entry and by place, file by file. It grows with the entries and with what is
    undecided, not with the files."""

    entries: tuple[str, ...] = ()
    """Those whose ways count, best first, as text that can be shown."""
    _errors: Counter[str] = attrs.field(factory=Counter)
    _open: Counter[str] = attrs.field(factory=Counter)
    _unread: Counter[str] = attrs.field(factory=Counter)
    _unread_beside: Counter[str] = attrs.field(factory=Counter)
    """Files that could not be examined and that no training reaches, by the counts that they are in."""
    _folders: Counter[str] = attrs.field(factory=Counter)
    open_units: Mapping[tuple[str, int], int] = {}
    """The units of words of which nothing shows what becomes of them, by paths and lines."""
    _undecided: set[object] = attrs.field(factory=set)
    left_out: tuple[str, ...] = ()
    """Sources on the way that were not examined, as text that can be shown."""
    _cuda_sources: int = 0
    _work: WorkCounter = attrs.field(factory=WorkCounter)

    def add(self, outcome: FileOutcome) -> None:
        """Note what is left in a file."""
        way = outcome.way
        self._count_work(outcome)
        entries = [entry for entry in self.entries if entry in way.reached_from] or self.entries
        self._count_unread(outcome, entries)
        self._cuda_sources += bool(outcome.kernels) and not (way.is_outside or _is_left_out(outcome))
        for item in outcome.remaining:
            severity = item.finding.severity
            if way.standing is Standing.BESIDE:
                if severity is Severity.ERROR:
                    self._folders[way.folder or outcome.path] += 1
                continue
            counted = self._errors if severity is Severity.ERROR else self._open
            if severity is not Severity.HINT:
                counted.update(entries)
            if item.finding.kind == UNDECIDED:
                place = (outcome.path, item.start_line)
                self._undecided.add(self.open_units.get(place, (*place, item.finding.start)))

    def _count_unread(self, outcome: FileOutcome, entries: Sequence[str]) -> None:
        if outcome.status.is_trouble:
            is_outside = outcome.way.is_outside
            counts = self._unread_beside if is_outside else self._unread
            counts.update([outcome.status.value] if is_outside else entries)

    def _count_work(self, outcome: FileOutcome) -> None:
        made = (edit for edit in outcome.applied if edit.message.id != _ADDED_IMPORT)
        edits = (range(edit.start_line, edit.end_line + 1) for edit in made)
        left = ((item.finding, item.start_line) for item in outcome.remaining)
        self._work.add(left, outcome.way, len(set(chain.from_iterable(edits))))

    def leave_out(self, path: str, way: Way) -> None:
        """Note a source that is copied as it is because the user said so."""
        if way.standing is Standing.ON_THE_WAY:
            self.left_out += (path,)

    def settle(self, summary: Summary) -> None:
        """Enter what only all files together show."""
        summary.undecided = len(self._undecided)
        summary.left_out_on_way = len(self.left_out)
        summary.cuda_sources_on_way = self._cuda_sources

    @property
    def work(self) -> Work:
        """How much was done and is left, when all files are counted."""
        return self._work.work()

    def verdict(self, summary: Summary) -> Verdict:
        """What may be said, when all files are counted."""
        entries = tuple(
            EntryCount(entry, self._errors[entry], self._open[entry], self._unread[entry])
            for entry in self.entries
        )
        folders = tuple(self._folders.most_common())
        beside = {name: getattr(summary, name) - count for name, count in self._unread_beside.items()}
        return attrs.evolve(
            attrs.evolve(summary, **beside).verdict(),
            entries=entries,
            folders=folders,
            left_out=self.left_out,
            is_of_whole=not self.entries,
        )


def _is_left_out(outcome: FileOutcome) -> bool:
    """Whether the NPU takes another way than the one for which a CUDA source is built."""
    found = [item.finding.severity for item in outcome.remaining if item.finding.code == _CUDA_SOURCE]
    return bool(found) and set(found) <= {Severity.HINT, Severity.INFORMATION}
