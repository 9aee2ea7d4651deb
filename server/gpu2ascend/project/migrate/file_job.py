"""What is done with one file of a project that is migrated. Runs in a worker process or in the parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter

import attrs

from gpu2ascend_rules.checking import api_uses
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import kind_of_name
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import ApiUse, FileChange, RemainingFinding
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.restricted_uses import split_advice, split_restricted
from gpu2ascend_rules.text.plain.python_files import is_python
from gpu2ascend_rules.text.source_file import SourceFile

from ..errors import out_of_time
from ..examination import Examination
from ..examine import Request, examine
from ..files.discover import Entry, EntryKind
from ..files.writing.copying import (
    Content,
    OverSizeLimitError,
    UnreadableError,
    copy_file,
    read_file,
    write_file,
)
from ..fixing import Transform
from ..index.facts.frameworks import IN_A_LINE, ImportOf
from ..index.kernels import kernel_names
from ..paths import join, shown
from ..report.diff import file_diff, file_patch
from ..report.hunks import CONTEXT, Hunks, hunks_of
from ..report.reports import USE_TABLES
from ..report.result import FileOutcome, FileStatus, Framework, WrittenFile


@attrs.frozen(kw_only=True)
class FileJob:
    """Reads a file, makes every fix that the options ask for, and writes the file into the output."""

    root: str
    destination: str | None
    """The directory being built; None writes nothing and gives diffs."""
    options: MigrationOptions
    project: ProjectView
    transform: Transform = apply_fixes
    codemods: Mapping[str, FileChange] = {}
    """What codemods, which look at the program as a whole, make of some files, by path."""
    wants_hunks: bool = False
    """Whether to give the differences of changed files side by side."""
    fixes: bool = True
    """Whether to make the fixes; without, everything that is found is left."""

    def __call__(self, task: Entry) -> FileOutcome:
        """Migrate one file. Raises OutputError: the output cannot be written."""
        try:
            content = read_file(join(self.root, task.path), self.options.max_file_bytes)
        except OverSizeLimitError as error:
            return self._copied(task, error.message)
        except UnreadableError as error:
            return _trouble(task, FileStatus.UNREADABLE, error.message)
        try:
            with time_limit():
                outcome, data = self._examined(task, content)
        except TimeLimitError:
            outcome, data = _trouble(task, FileStatus.FAILED, out_of_time()), content.data
        return outcome._replace(written=self._write(task, content, data))

    def _examined(self, task: Entry, content: Content) -> tuple[FileOutcome, bytes]:
        """What becomes of a file that was read, and its new content."""
        if task.kind is EntryKind.KERNELS:
            names = kernel_names(content.data.decode("utf-8", "replace"))
            outcome, data = self._migrated(task, content.data)
            return outcome._replace(kernels=names), data
        return self._migrated(task, content.data)

    def give_up(self, task: Entry) -> FileOutcome:
        """Copy a file on which a worker process died each time.
        Raises OutputError: the output cannot be written."""
        return self._copied(task, Message.of("project.worker-died"))

    def _copied(self, task: Entry, problem: Message) -> FileOutcome:
        """Copy a file that is not examined."""
        written = None
        if self.destination is not None:
            try:
                digest = copy_file(join(self.root, task.path), join(self.destination, task.path))
            except UnreadableError as error:
                return _trouble(task, FileStatus.UNREADABLE, error.message)
            written = WrittenFile(task.path, digest)
        return _trouble(task, FileStatus.FAILED, problem)._replace(written=written)

    def _migrated(self, task: Entry, data: bytes) -> tuple[FileOutcome, bytes]:
        """What becomes of a file, and its new content; in trouble the content is the given one."""
        request = Request(
            options=self.options,
            fix=self.fixes,
            codemods=self.fixes,
            resolves=True,
            verifies_all=True,
            counts_silenced=True,
            transform=self.transform,
        )
        done = examine(task.path, data, request, self.project, self.codemods.get(task.path))
        new = data if done.data is None else done.data
        outcome = self._outcome(done)
        outcome = outcome._replace(uses=self._uses(done))
        patch = file_patch(task.path, data, new) if outcome.diff is not None else None
        return outcome._replace(imports=frameworks_in(new), patch=patch), new

    def _uses(self, done: Examination) -> tuple[ApiUse, ...]:
        """What became of each API of a module, where a table lists that."""
        text = done.text if done.before is None else done.before
        if (
            text is None
            or not is_python(done.path, text)
            or not set(USE_TABLES.values()).issubset(self.options.route.tables)
        ):
            return ()
        return api_uses(SourceFile(text, done.path), self.options, self.project)

    def _outcome(self, done: Examination) -> FileOutcome:
        path = shown(done.path)
        wants_diff = done.before is not None and self.destination is None
        left = done.remaining if self.fixes else tuple(_found_in(done))
        remaining, restricted = split_restricted(left, attrgetter("finding"))
        remaining, advice = split_advice(remaining, attrgetter("finding"))
        return FileOutcome(
            path,
            done.status,
            done.applied,
            remaining,
            restricted,
            advice,
            problem=done.problem,
            traceback=done.traceback,
            diff=file_diff(path, done.before or "", done.text or "") if wants_diff else None,
            hunks=self._hunks(done),
            unresolved=done.unresolved,
            equivalents=done.equivalents,
            matched=done.matched,
            silenced=done.silenced,
        )

    def _hunks(self, done: Examination) -> Hunks | None:
        if not self.wants_hunks or done.before is None or done.text is None:
            return None
        kind = kind_of_name(done.path)
        context = 0 if kind is not None and kind.is_private else CONTEXT
        return hunks_of(done.before, done.text, context)

    def _write(self, task: Entry, content: Content, data: bytes) -> WrittenFile | None:
        if self.destination is None:
            return None
        is_new = data is not content.data
        digest = write_file(join(self.destination, task.path), data, content.stamp, new=is_new)
        return WrittenFile(task.path, digest)


_IMPORTS = {
    Framework.TORCH: ImportOf("torch", begins=IN_A_LINE),
    Framework.TORCH_NPU: ImportOf("torch_npu", begins=IN_A_LINE),
    Framework.LIGHTNING: ImportOf("lightning", "(?:pytorch_)?", IN_A_LINE),
}


def frameworks_in(data: bytes) -> frozenset[Framework]:
    """What the lines of a file import, notebooks included."""
    return frozenset(framework for framework, imported in _IMPORTS.items() if imported.is_in(data))


def _found_in(done: Examination) -> Iterator[RemainingFinding]:
    """What is found in a file that stays as it is, with its lines."""
    if done.source is None:
        return
    lines = done.source.lines
    for finding in done.findings:
        first, last = (lines.position(at).line + 1 for at in (finding.start, finding.end))
        if done.notebook is None:
            yield RemainingFinding(finding, first, last)
        else:
            (cell, start), (_, end) = map(done.notebook.file_line, (first, last))
            yield RemainingFinding(finding, start, end, cell)


def _trouble(task: Entry, status: FileStatus, problem: Message) -> FileOutcome:
    return FileOutcome(shown(task.path), status, problem=problem)
