"""What migrating files where they are would change in them, as edits for an editor to show."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.check import check
from gpu2ascend_rules.engine.prefilter import may_concern
from gpu2ascend_rules.fix import edits_of_all, proposals
from gpu2ascend_rules.model.finding import Edit, Message
from gpu2ascend_rules.model.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit, Position
from gpu2ascend_rules.text.source_file import SourceFile

from ..errors import InputError, reason
from ..files.copying import UnreadableError, read_file
from ..files.discover import EntryKind, walk
from ..files.encoding import NotTextError, decode
from ..files.excludes import Excludes
from ..files.notebooks import is_notebook
from ..files.paths import join, shown
from ..files.places import input_directory
from ..index.survey import survey_project, worker_count
from ..index.view import ProjectFiles
from ..processes.cancellable import ProcessApart, Reporter
from ..processes.workers import Ready, Todo, never, ordered_map


class PlacedEdit(NamedTuple):
    """A change of a text, in the columns that were asked for."""

    start: Position
    end: Position
    text: str
    code: str | None = None
    """The rule whose unsafe fix it belongs to; None for a safe one."""
    title: Message | None = None
    """What that fix does."""


class PreviewedFile(NamedTuple):
    """What would change in a file."""

    path: str
    """Relative to the project, with ``/``, as the system has it."""
    edits: tuple[PlacedEdit, ...]
    equivalents: frozenset[str] = frozenset()
    """The parts of the package of equivalents that the unsafe fixes among them need."""
    is_left_out: bool = False
    """Whether it is a notebook with something to look at, which only an editor that has it open can edit."""


class Change(NamedTuple):
    """A change of a text, with the unsafe fix that it belongs to as in :class:`PlacedEdit`."""

    edit: Edit
    code: str | None = None
    title: Message | None = None

    def placed(self, source: SourceFile, unit: ColumnUnit) -> PlacedEdit:
        """The same in the columns of a text, which is the one that its offsets are of."""
        start, end = (source.lines.position(at, unit) for at in (self.edit.start, self.edit.end))
        return PlacedEdit(start, end, self.edit.text, self.code, self.title)


class Unsafe(enum.Enum):
    """Which unsafe fixes are offered."""

    NONE = "none"
    EDITS = "edits"
    """Those that need no file beside the one that they change."""
    ALL = "all"


@attrs.frozen(kw_only=True)
class PreviewRequest:
    """A project to migrate where it is."""

    root: Path
    options: MigrationOptions
    texts: Mapping[str, str] = attrs.field(factory=dict)
    """Texts that count in place of what the files hold, by path relative to the root."""
    unit: ColumnUnit = ColumnUnit.UTF16
    unsafe: Unsafe = Unsafe.ALL
    jobs: int = 0


class PreviewProcess:
    """One preview. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: PreviewRequest) -> None:
        self._process = ProcessApart(_Preview(request))

    def run(self, on_file: Callable[[int, int, str], None]) -> tuple[PreviewedFile, ...]:
        """What would change, and notebooks; ``on_file`` gets the number done, that of all, and a name.

        Raises:
            ProjectError: the folder cannot be read, or the preview was cancelled.
        """
        return self._process.run(lambda event: on_file(*event))

    def cancel(self) -> None:
        """End it."""
        self._process.cancel()


def previewed(
    source: SourceFile,
    options: MigrationOptions,
    project: ProjectView,
    unit: ColumnUnit,
    unsafe: Unsafe,
) -> PreviewedFile:
    """The edits that migrating a text would make, in order; none overlaps another."""
    changes, equivalents = changes_of(source, options, project, unsafe)
    return PreviewedFile(source.path, placed(changes, source, unit), equivalents)


def placed(changes: Iterable[Change], source: SourceFile, unit: ColumnUnit) -> tuple[PlacedEdit, ...]:
    """Changes of a text as its edits, in order."""
    edits = [change.placed(source, unit) for change in changes]
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def changes_of(
    source: SourceFile, options: MigrationOptions, project: ProjectView, unsafe: Unsafe
) -> tuple[list[Change], frozenset[str]]:
    """What migrating a text would change in it, and the parts of the package of equivalents that it needs."""
    if not may_concern(source.data):
        return [], frozenset()
    safe_only = attrs.evolve(options, unsafe_fixes=False, replace_unsupported=False)
    safe = edits_of_all(source, safe_only, project)
    changes = [Change(edit) for edit in safe]
    equivalents: set[str] = set()
    offered = proposals(source, check(source, options, project), safe) if unsafe is not Unsafe.NONE else ()
    for item in offered:
        needed = item.fix.plan.equivalents
        if needed and unsafe is not Unsafe.ALL:
            continue
        equivalents |= needed
        changes += [Change(edit, item.finding.code, item.fix.title) for edit in item.edits]
    return changes, frozenset(equivalents)


@attrs.frozen
class _FileJob:
    """Reads one file and works its edits out."""

    request: PreviewRequest
    root: str
    project: ProjectView

    def __call__(self, task: str) -> PreviewedFile:
        request = self.request
        try:
            if is_notebook(task):
                return PreviewedFile(task, (), is_left_out=may_concern(read_file(join(self.root, task)).data))
            text = request.texts.get(task)
            if text is None:
                text = decode(read_file(join(self.root, task)).data).text
            source = SourceFile(text, task)
            return previewed(source, request.options, self.project, request.unit, request.unsafe)
        except (UnreadableError, NotTextError):
            return self.give_up(task)

    def give_up(self, task: str) -> PreviewedFile:
        """A file that cannot be looked at would not change either."""
        return PreviewedFile(task, ())


@attrs.frozen
class _Preview:
    """What the process does."""

    request: PreviewRequest

    def __call__(self, reporter: Reporter) -> tuple[PreviewedFile, ...]:
        request = self.request
        root = input_directory(request.root)
        excludes = Excludes(request.options.exclude)
        try:
            survey = survey_project(root, excludes, lambda done, path: None, never)
        except OSError as error:
            raise InputError(
                Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
            ) from error
        job = _FileJob(request, str(root), ProjectFiles(root, survey.facts))
        workers = worker_count(request.jobs, survey.work, survey.python_files)
        changed = []
        with closing(ordered_map(job, _tasks(root, excludes), workers)) as files:
            for done, file in enumerate(files, 1):
                reporter.send((done, max(done, survey.python_files), shown(file.path)))
                if file.edits or file.is_left_out:
                    changed.append(file)
        return tuple(changed)

    def died(self) -> Message:
        return Message.of("project.analysis-died", path=shown(self.request.root))


def _tasks(root: Path, excludes: Excludes) -> Iterator[Todo[str] | Ready[PreviewedFile]]:
    for entry in walk(root, excludes):
        if entry.kind is EntryKind.PYTHON:
            yield Todo(entry.path)
