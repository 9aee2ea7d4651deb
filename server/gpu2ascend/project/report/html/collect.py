"""Collects what the page says, file by file, while a project is migrated."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import AppliedFix, CellLine

from ..causes import CauseDetails, Causes
from ..hunks import Hunks, Row
from ..reports import in_cell
from ..result import FileOutcome, FileStatus
from ..unexamined import Unexamined
from .model import DependencyChange, FileRecord, FileState

NAMED_PLACES = 12
"""Further places of a cause that the page names."""
_DEPENDENCIES = re.compile(r"NPU11\d\d")
"""The codes of rules about what a project depends on."""
_MAX_DEPENDENCIES = 400
_MAX_NOTES = 40


class Spool:
    """Keeps records in a file without a name, where the system allows that; it goes when it is closed."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._file: IO[bytes] | None = None

    def add(self, record: FileRecord) -> None:
        """Keep one. Raises OSError: it cannot be written."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix=".gpu2ascend-", dir=self._directory)  # noqa: SIM115
        self._file.write(json.dumps(_plain(record), separators=(",", ":")).encode("ascii") + b"\n")

    def __iter__(self) -> Iterator[FileRecord]:
        """All of them, in the order in which they came."""
        if self._file is None:
            return
        self._file.seek(0)
        for line in self._file:
            yield _record(json.loads(line))

    def close(self) -> None:
        """Forget them."""
        if self._file is not None:
            with suppress(OSError):  # what does not fit on the disk any more is not wanted any more
                self._file.close()
            self._file = None


def _plain(record: FileRecord) -> tuple[Any, ...]:
    return tuple(record._replace(status=record.status.value))  # type: ignore[arg-type]


def _record(values: list[Any]) -> FileRecord:
    record = FileRecord(*values)
    return record._replace(status=FileStatus(values[1]), hunks=_hunks(record.hunks))


def _hunks(values: Any) -> Hunks | None:
    if values is None:
        return None
    parts, left_out = values
    return Hunks(tuple(tuple(Row(*row) for row in part) for part in parts), left_out)


class PageCollector:
    """What it holds does not grow with the project: records of files go to the disk."""

    def __init__(self, language: str, directory: Path | None = None, unexamined: Unexamined | None = None):
        """
        Args:
            language: Of the page.
            directory: Where records of files may be kept for now.
            unexamined: Knows the files that are copied without being examined.
        """
        self.language = language
        self.directory = directory
        self.causes = Causes(NAMED_PLACES)
        self.restricted = Causes(NAMED_PLACES)
        self.advice = Causes(NAMED_PLACES)
        self.unexamined = unexamined if unexamined is not None else Unexamined()
        self.notes: list[str] = []
        """What was left out, excluded or leads out of the project; the first ones."""
        self.note_count = 0
        self.states: Counter[FileState] = Counter()
        self.edits: Counter[str] = Counter()
        """Edits by rule."""
        self.dependencies: list[DependencyChange] = []
        self.dependency_count = 0
        self.changed = 0
        """Files with differences."""
        self._spool = Spool(directory)

    @property
    def records(self) -> Iterator[FileRecord]:
        """Each file that was changed or has something left, in the order of the project."""
        return iter(self._spool)

    def add(self, outcome: FileOutcome) -> None:
        """Note what became of a file. Raises OSError: it cannot be kept."""
        record = self._record(outcome)
        self.states[record.state] += 1
        self.edits.update(edit.code for edit in outcome.applied)
        self._add_causes(outcome)
        self._add_dependencies(outcome)
        if record.state is not FileState.UNTOUCHED or record.hints or record.number:
            self._spool.add(record)

    def note(self, message: Message) -> None:
        """Note what was left out, and why."""
        self.note_count += 1
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(render(message, self.language))

    def close(self) -> None:
        """Forget what lies on the disk."""
        self._spool.close()

    def _record(self, outcome: FileOutcome) -> FileRecord:
        by_severity = Counter(item.finding.severity.value for item in outcome.remaining)
        if outcome.hunks is not None:
            self.changed += 1
        return FileRecord(
            outcome.path,
            outcome.status,
            edits=len(outcome.applied),
            errors=by_severity["error"],
            open=by_severity["warning"] + by_severity["information"],
            hints=by_severity["hint"],
            kernels=len(outcome.kernels),
            problem=None if outcome.problem is None else render(outcome.problem, self.language),
            hunks=outcome.hunks,
            number=0 if outcome.hunks is None else self.changed,
        )

    def _add_causes(self, outcome: FileOutcome) -> None:
        for causes, items in (
            (self.causes, outcome.remaining),
            (self.restricted, outcome.restricted),
            (self.advice, outcome.advice),
        ):
            for item in items:
                finding = item.finding
                text = render(finding.message, self.language)
                place = self._place(outcome.path, item.start_line, item.cell)
                about = CauseDetails.of(finding)
                causes.add(
                    finding.code, finding.severity, text, place, about, is_outside=outcome.way.is_outside
                )

    def _add_dependencies(self, outcome: FileOutcome) -> None:
        for edit in outcome.applied:
            if _DEPENDENCIES.fullmatch(edit.code):
                self._add_dependency(outcome, edit)
        for item in outcome.remaining:
            if _DEPENDENCIES.fullmatch(item.finding.code):
                text = render(item.finding.message, self.language)
                place = self._place(outcome.path, item.start_line, item.cell)
                self._keep(DependencyChange(place, item.finding.code, text, "", ""))

    def _add_dependency(self, outcome: FileOutcome, edit: AppliedFix) -> None:
        before, after = _lines_at(outcome.hunks, edit.start_line, edit.end_line)
        place = self._place(outcome.path, edit.start_line, edit.cell)
        text = render(edit.message, self.language)
        self._keep(DependencyChange(place, edit.code, text, before, after))

    def _keep(self, change: DependencyChange) -> None:
        self.dependency_count += 1
        if len(self.dependencies) < _MAX_DEPENDENCIES:
            self.dependencies.append(change)

    def _place(self, path: str, line: int, cell: CellLine | None) -> str:
        return in_cell(f"{path}:{line}", cell, self.language)


def _lines_at(hunks: Hunks | None, first: int, last: int) -> tuple[str, str]:
    """What was in some lines, and what is in their place now."""
    rows = [row for part in (hunks.parts if hunks is not None else ()) for row in part]
    at = [index for index, row in enumerate(rows) if row.old is not None and first <= row.old <= last]
    if not at:
        return "", ""
    chosen = [row for row in rows[at[0] : at[-1] + 1] if not row.is_equal]
    for row in rows[at[-1] + 1 :]:  # what was inserted right behind
        if row.old is not None:
            break
        chosen.append(row)
    return _joined(row.before for row in chosen), _joined(row.after for row in chosen)


def _joined(lines: Iterable[str | None]) -> str:
    return "\n".join(line for line in lines if line is not None)
