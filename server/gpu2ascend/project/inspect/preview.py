"""What migrating files where they are would change in them, as edits for an editor to show."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.edits.fix_titles import title_of
from gpu2ascend_rules.fix import Proposal, composed, proposals
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Edit, Message
from gpu2ascend_rules.model.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.plain.text_file import TextFile

from ..errors import InputError, limit_of, reason
from ..examine import Request, examine
from ..files.copying import OverSizeLimitError, UnreadableError, read_file
from ..files.discover import EXAMINED, walk
from ..files.excludes import Excludes
from ..files.notebooks import is_notebook
from ..files.places import input_directory
from ..index.survey import survey_project, worker_count
from ..index.view import ProjectFiles
from ..paths import join, shown
from ..processes.cancellable import CancellableProcess, Reporter
from ..processes.workers import Ready, Todo, never, ordered_map
from .placed import PlacedEdit, PlacedFile


class PreviewedEdit(NamedTuple):
    """A change of a text, with the unsafe fix that it belongs to as in :class:`PlacedEdit`."""

    edit: Edit
    code: str | None = None
    title: Message | None = None

    def placed(self, source: TextFile, unit: ColumnUnit) -> PlacedEdit:
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
        self._process = CancellableProcess(_Preview(request))

    def run(self, on_file: Callable[[int, int, str], None]) -> tuple[PlacedFile, ...]:
        """What would change, and notebooks; ``on_file`` gets the number done, that of all, and a name.

        Raises:
            ProjectError: the folder cannot be read, or the preview was cancelled.
        """
        return self._process.run(lambda event: on_file(*event))

    def cancel(self) -> None:
        """End it."""
        self._process.cancel()


def previewed(
    path: str,
    content: bytes | str | TextFile,
    project: ProjectView,
    request: PreviewRequest,
    *,
    is_of_cells: bool = False,
) -> tuple[PlacedFile, list[PreviewedEdit]]:
    """The edits that migrating a file where it is would make: placed in its text, and as they are.

    Args:
        is_of_cells: The content is a composite of cells that are Python 3 each; together they need not be.
    """
    safe_only = attrs.evolve(
        request.options, unsafe_fixes=False, replace_unsupported=False, modelarts=False
    )  # what needs a package beside the file is left to a migration
    wanted = Request(options=safe_only, fix=True, codemods=not is_of_cells, is_lenient=is_of_cells)
    done = examine(path, content, wanted, project)
    given = done.text if done.before is None else done.before
    is_given_up = done.problem is not None and not done.passes
    if given is None or not done.is_relevant or is_given_up:
        return PlacedFile(path, problem=done.problem), []
    source = content if isinstance(content, TextFile) else text_file(given, path)
    safe = composed(source.data, done.passes)
    changes = [PreviewedEdit(edit) for edit in safe]
    equivalents: set[str] = set()
    for item in _offered(source, safe, project, request):
        equivalents |= item.fix.plan.equivalents
        title = title_of(item.fix, source.data)
        changes += [PreviewedEdit(edit, item.finding.code, title) for edit in item.edits]
    edits = placed(changes, source, request.unit)
    file = PlacedFile(path, edits=edits, problem=done.problem, equivalents=frozenset(equivalents))
    return file, changes


def placed(changes: Iterable[PreviewedEdit], source: TextFile, unit: ColumnUnit) -> tuple[PlacedEdit, ...]:
    """Changes of a text as its edits, in order."""
    edits = [change.placed(source, unit) for change in changes]
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def _offered(
    source: TextFile, safe: tuple[Edit, ...], project: ProjectView, request: PreviewRequest
) -> Iterator[Proposal]:
    """The unsafe fixes that can be offered beside the safe edits."""
    if request.unsafe is Unsafe.NONE:
        return
    found = examine(source.path, source, Request(options=request.options), project).findings
    for item in proposals(source, found, safe):
        if request.unsafe is Unsafe.ALL or not item.fix.plan.equivalents:
            yield item


@attrs.frozen
class _FileJob:
    """Reads one file and works its edits out."""

    request: PreviewRequest
    root: str
    project: ProjectView

    def __call__(self, task: str) -> PlacedFile:
        content: bytes | str | None = self.request.texts.get(task)
        if content is None:
            try:
                content = read_file(join(self.root, task), self.request.options.max_file_bytes).data
            except OverSizeLimitError as error:
                return PlacedFile(task, problem=error.message)
            except UnreadableError:
                return self.give_up(task)
        if is_notebook(task):
            return self._left_out(task, content)
        file, _ = previewed(task, content, self.project, self.request)
        return file._replace(problem=limit_of(file.problem))

    def _left_out(self, task: str, content: bytes | str) -> PlacedFile:
        """A notebook: only an editor that has it open can edit it."""
        request = Request(options=self.request.options)
        done = examine(task, content, request, self.project)
        return PlacedFile(task, is_left_out=done.is_relevant and done.text is not None)

    def give_up(self, task: str) -> PlacedFile:
        """A file that cannot be examined would not change either."""
        return PlacedFile(task)


@attrs.frozen
class _Preview:
    """What the process does."""

    request: PreviewRequest

    def __call__(self, reporter: Reporter) -> tuple[PlacedFile, ...]:
        request = self.request
        root = input_directory(request.root)
        excludes = Excludes(request.options.exclude, request.options.copy)
        try:
            limit = request.options.max_file_bytes
            survey = survey_project(root, excludes, lambda done, path: None, never, limit)
        except OSError as error:
            raise InputError(
                Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
            ) from error
        project = ProjectFiles(root, survey.facts, request.texts, max_bytes=limit)
        job = _FileJob(request, str(root), project)
        workers = worker_count(request.jobs, survey.work, survey.python_files)
        changed = []
        with closing(ordered_map(job, _tasks(root, excludes), workers)) as files:
            for done, file in enumerate(files, 1):
                reporter.send((done, max(done, survey.python_files), shown(file.path)))
                if file.edits or file.is_left_out or file.problem is not None:
                    changed.append(file)
        return tuple(changed)

    def died(self) -> Message:
        return Message.of("project.analysis-died", path=shown(self.request.root))


def _tasks(root: Path, excludes: Excludes) -> Iterator[Todo[str] | Ready[PlacedFile]]:
    for entry in walk(root, excludes):
        if entry.kind in EXAMINED:
            yield Todo(entry.path)
