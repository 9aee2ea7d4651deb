"""What migrating files where they are would change in them, as edits for an editor to show."""

from __future__ import annotations

import bisect
import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.fixing import Proposal, proposals
from gpu2ascend_rules.hosting import Composite, title_of
from gpu2ascend_rules.model.finding import Edit, Finding, Message
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.plain.text_file import TextFile

from ...errors import InputError, limit_of, reason
from ...examination import Examination
from ...examine import Request, examine, source_of
from ...files.content.notebooks import is_notebook
from ...files.content.soundness import judge_of
from ...files.discover import EXAMINED, walk
from ...files.excludes import Editable, Excludes
from ...files.places import input_directory
from ...files.writing.copying import OverSizeLimitError, UnreadableError, read_file
from ...index.survey import survey_project, worker_count
from ...index.view import ProjectFiles
from ...paths import join, shown
from ...processes.cancellable import FolderWork, Reporter
from ...processes.workers import Ready, Todo, never, ordered_map
from ..placed import PlacedChange, PlacedEdit, PlacedFile, Reason
from ..unit_edits import safe_only
from .choices import choices, merged


class PreviewedEdit(NamedTuple):
    """A change of a text, with what it is a part of as in :class:`PlacedEdit`."""

    edit: Edit
    change: PlacedChange | None = None

    def placed(self, source: TextFile, unit: ColumnUnit) -> PlacedEdit:
        """The same in the columns of a text, which is the one that its offsets are of."""
        start, end = (source.lines.position(at, unit) for at in (self.edit.start, self.edit.end))
        return PlacedEdit(start, end, self.edit.text, self.change)


class Unsafe(enum.Enum):
    """Which unsafe fixes are offered."""

    NONE = "none"
    EDITS = "edits"
    """Those that need no file beside the one that they change."""
    ALL = "all"


@attrs.frozen(kw_only=True)
class PreviewRequest(FolderWork):
    """A project to migrate where it is."""

    texts: Mapping[str, str] = attrs.field(factory=dict)
    """Texts that count in place of what the files hold, by path relative to the root."""
    unit: ColumnUnit = ColumnUnit.UTF16
    unsafe: Unsafe = Unsafe.ALL
    jobs: int = 0

    def __call__(self, reporter: Reporter) -> tuple[PlacedFile, ...]:
        """What would change, and notebooks; how many files are done, of how many, is reported."""
        root = input_directory(self.root)
        excludes = Excludes(self.options.exclude, self.options.copy)
        try:
            limit = self.options.max_file_bytes
            survey = survey_project(root, excludes, lambda done, path: None, never, limit)
        except OSError as error:
            raise InputError(
                Message.of("project.input-unreadable", path=shown(root), reason=reason(error))
            ) from error
        project = ProjectFiles(root, survey.facts, self.texts, max_bytes=limit, editable=Editable(excludes))
        job = _FileJob(self, str(root), project)
        workers = worker_count(self.jobs, survey.work, survey.python_files)
        changed = []
        with closing(ordered_map(job, _tasks(root, excludes), workers)) as files:
            for done, file in enumerate(files, 1):
                reporter.send((done, max(done, survey.python_files), shown(file.path)))
                if file.edits or file.is_left_out or file.problem is not None:
                    changed.append(file)
        return tuple(changed)


def previewed(
    path: str,
    content: bytes | str | TextFile,
    project: ProjectView,
    request: PreviewRequest,
    *,
    cells: Composite | None = None,
) -> tuple[PlacedFile, list[PreviewedEdit]]:
    """The edits that migrating a file where it is would make: placed in its text, and as they are.

    Args:
        cells: What the content is a composite of, if it is one; each is Python 3, together they need not be.
    """
    # What needs a package beside the file is left to a migration.
    of_fixes = attrs.evolve(safe_only(request.options), modelarts=False)
    is_of_cells = cells is not None
    wanted = Request(
        options=of_fixes, fix=True, codemods=not is_of_cells, is_lenient=is_of_cells, lists_fixes=True
    )
    done = examine(path, content, wanted, project)
    given = done.text if done.before is None else done.before
    is_given_up = done.problem is not None and not done.passes
    if given is None or not done.is_relevant or is_given_up:
        return PlacedFile(path, problem=done.problem), []
    source = content if isinstance(content, TextFile) else source_of(path, given, project)
    found = _found(done, source, project, request.options)
    text = _Previewed(source, found, cells)
    changes = list(text.safe(done))
    offered = list(_offered(source, found, [change.edit for change in changes], request))
    equivalents = {part for item in offered for part in item.fix.plan.equivalents}
    changes += text.unsafe(offered, [change.edit for change in changes])
    edits = placed(changes, source, request.unit)
    requires = [fix.requires for made in done.made for fix in made]
    requires += [item.fix.plan.requires for item in offered]
    file = PlacedFile(
        path,
        edits=edits,
        problem=done.problem,
        equivalents=frozenset(equivalents),
        requires=frozenset().union(*requires),
    )
    return file, changes


def _found(
    done: Examination, source: TextFile, project: ProjectView, options: MigrationOptions
) -> tuple[Finding, ...]:
    """What is found in a text before its fixes; asked anew where that was with other options."""
    if done.given is not None and not options.modelarts:
        return done.given
    return examine(source.path, source, Request(options=options), project).findings


def placed(changes: Iterable[PreviewedEdit], source: TextFile, unit: ColumnUnit) -> tuple[PlacedEdit, ...]:
    """Changes of a text as its edits, in order."""
    edits = [change.placed(source, unit) for change in changes]
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def _offered(
    source: TextFile, found: Iterable[Finding], safe: Iterable[Edit], request: PreviewRequest
) -> Iterator[Proposal]:
    """The unsafe fixes that can be offered beside the safe edits."""
    if request.unsafe is Unsafe.NONE:
        return
    for item in proposals(source, found, safe, judge_of(source)):
        if request.unsafe is Unsafe.ALL or not item.fix.plan.equivalents:
            yield item


def _by_import(offered: Iterable[Proposal]) -> list[list[Proposal]]:
    """Fixes by the imports that they bring: those that share one cannot be chosen apart."""
    groups: list[list[Proposal]] = []
    for item in offered:
        shared = [group for group in groups if any(set(item.imports) & set(one.imports) for one in group)]
        groups = [group for group in groups if group not in shared]
        groups.append([*(one for group in shared for one in group), item])
    return groups


class _Previewed:
    """A text, and the changes of it by number."""

    def __init__(self, source: TextFile, found: Iterable[Finding], cells: Composite | None) -> None:
        self._source = source
        self._found = frozenset((finding.code, finding.start) for finding in found)
        self._cells = cells
        self._count = 0

    def safe(self, done: Examination) -> Iterator[PreviewedEdit]:
        """The safe changes of the text."""
        for choice in choices(self._source.raw, done.passes, done.made, self._found, self._is_one_place):
            reasons = [self._reason(fix.code, fix.message, fix.start) for fix in choice.fixes]
            change = self._change(reasons) if reasons else None
            yield from (PreviewedEdit(edit, change) for edit in choice.edits)

    def unsafe(self, offered: Sequence[Proposal], safe: Sequence[Edit]) -> Iterator[PreviewedEdit]:
        """The unsafe changes beside the safe ones; those that bring the same import are one."""
        starts = sorted(edit.start for edit in (*safe, *(edit for item in offered for edit in item.edits)))
        for items in _by_import(offered):
            reasons = [
                self._reason(item.finding.code, item.finding.message, item.finding.start) for item in items
            ]
            change = self._change(reasons, title_of(items[0].fix, self._source.data))
            for edit in dict.fromkeys(edit for item in items for edit in item.imports):
                yield PreviewedEdit(edit, change)
            for item in items:
                own = [edit for edit in item.edits if edit not in item.imports]
                yield from (PreviewedEdit(edit, change) for edit in self._joined(own, starts))

    def _joined(self, edits: Sequence[Edit], starts: Sequence[int]) -> Sequence[Edit]:
        """Edits as one where no other lies between them, so that no editor can make a part."""
        if not edits:
            return ()
        first, last = edits[0].start, edits[-1].end
        between = bisect.bisect_left(starts, last) - bisect.bisect_left(starts, first)
        inside = sum(edit.start < last for edit in edits)
        return (
            merged(self._source.raw, edits)
            if self._is_one_place(first, last) and between <= inside
            else edits
        )

    def _change(self, reasons: Iterable[Reason], unsafe: Message | None = None) -> PlacedChange:
        self._count += 1
        return PlacedChange(self._count, tuple(dict.fromkeys(reasons)), unsafe)

    def _reason(self, code: str, message: Message, start: int) -> Reason:
        span = self._cells.span(start, start) if self._cells is not None else None
        if self._cells is None or span is None:
            return Reason(code, message, self._source.lines.line_of(start) + 1)
        text = self._cells.masked[span.cell].encode("utf-8", "surrogatepass")
        return Reason(code, message, text.count(b"\n", 0, span.start) + 1)

    def _is_one_place(self, start: int, end: int) -> bool:
        """Whether a span is not of several cells."""
        if self._cells is None:
            return True
        first, last = self._cells.span(start, start), self._cells.span(end, end)
        return first is not None and last is not None and first.cell == last.cell


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


def _tasks(root: Path, excludes: Excludes) -> Iterator[Todo[str] | Ready[PlacedFile]]:
    for entry in walk(root, excludes):
        if entry.kind in EXAMINED:
            yield Todo(entry.path)
