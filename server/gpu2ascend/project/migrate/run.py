"""The main loop of a migration: every entry of the project to its place in the output and the reports."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.outcome import FileChange, RemainingFinding
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.choices import LargeFiles
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.unresolved import UnresolvedMember

from ..entries.programs import Programs
from ..errors import CancelledError, writing
from ..files.discover import EXAMINED, NEVER_WRITTEN, Entry, EntryKind, is_large, walk
from ..files.excludes import Excludes
from ..files.links import Leads, is_copied, leads, target_of
from ..files.silenced import SilencedByProject
from ..files.writing.copying import UnreadableError, copy_file, copy_link
from ..fixing import Transform
from ..index.resolve_members import MemberResolver, unasked_notice
from ..index.survey import Survey, worker_count
from ..index.view import ProjectFiles
from ..manifest.marker import RESERVED_NAMES
from ..options.custom_rules import require_matches, unmatched_notice
from ..paths import join, shown, size_text, way_between
from ..processes.workers import Ready, Todo, ordered_map
from ..report.html.collect import PageCollector
from ..report.reports import Reports, count_outcome
from ..report.result import FileOutcome, FileStatus, Phase, Progress, Summary, WrittenFile
from ..report.tally import Tally
from ..report.unexamined import Unexamined
from .file_job import FileJob
from .output import OutputTree
from .readiness import OF_SETTINGS, Readiness, names_gpus


class Sinks(NamedTuple):
    """What a front end receives and answers while a migration runs."""

    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    on_file: Callable[[FileOutcome], None]
    on_notice: Callable[[Message], None] | None = None
    """Receives what the user should know before anything is written."""
    may_delete: Callable[[tuple[str, ...]], bool] | None = None
    """Asked whether an update may remove files that the new version has no more."""

    def after(self, note: Callable[[FileOutcome], None]) -> Sinks:
        """The same, where something else learns of each file first."""

        def on_file(outcome: FileOutcome) -> None:
            note(outcome)
            self.on_file(outcome)

        return self._replace(on_file=on_file)


class Passed(NamedTuple):
    """An entry that needed no examination: copied, or left out."""

    path: str
    note: Message | None = None
    severity: Severity = Severity.INFORMATION
    counts_as: str | None = None
    """The count of the summary that it belongs to."""
    is_file: bool = True
    is_other: bool = False
    """Whether it is a file of another kind: copied, and read only for what it asks a trainer for."""


_NAMED = 20
"""Files that a notice lists."""
_LEFT_OUT = {EntryKind.LEFTOVER: "project.leftover", EntryKind.LEFT_OUT: "project.left-out"}
"""What the log says of entries that are no part of the project."""
Result = FileOutcome | Passed
"""What became of an entry of the project."""
_Item = Todo[Entry] | Ready[Result]


@attrs.define
class OwnFiles:
    """Reports of an earlier migration that were left out."""

    count: int = 0
    names: list[str] = attrs.field(factory=list)
    """The first of them, as text that can be shown."""

    def add(self, path: str) -> None:
        """Note one."""
        self.count += 1
        if len(self.names) < _NAMED:
            self.names.append(path)

    @property
    def notice(self) -> Message | None:
        """What the user should know of them."""
        if not self.count:
            return None
        names = ", ".join(self.names) + (", …" if self.count > len(self.names) else "")
        return Message.of("project.own-files", count=self.count, names=names)


@attrs.frozen(kw_only=True)
class Run:
    """A migration of which everything is decided but the writing."""

    root: Path
    options: MigrationOptions
    excludes: Excludes
    survey: Survey
    jobs: int
    sinks: Sinks
    project: ProjectFiles
    programs: Programs
    tally: Tally
    codemods: Mapping[str, FileChange] = {}
    own_files: OwnFiles = attrs.field(factory=OwnFiles)
    readiness: Readiness
    unexamined: Unexamined = attrs.field(factory=Unexamined)
    silenced: SilencedByProject = attrs.field(
        default=attrs.Factory(lambda run: SilencedByProject(run.options), takes_self=True)
    )
    page: PageCollector | None = None
    """Where what the report for people says is collected, if there is to be one."""
    matched: set[int] = attrs.field(factory=set)
    """The user's rules, by index, that matched something so far."""
    needed: set[Version] = attrs.field(factory=set)
    """The releases that brought what new texts name, as far as a user should know them."""
    unasked: list[UnresolvedMember] = attrs.field(factory=list)
    """The members of which the rest of the project might show what they are, and did not."""
    transform: Transform = apply_fixes
    """Makes the fixes."""
    looks_only: bool = False
    """Whether it changes no file."""

    @property
    def notices(self) -> tuple[Message, ...]:
        """What the user should know of the run when it is over."""
        found = (
            self.own_files.notice,
            unmatched_notice(self.options, self.matched),
            self.unexamined.notice(),
            unasked_notice(self.unasked),
            *self.silenced.messages(),
        )
        kept = tuple(notice for notice in found if notice is not None)
        if self.needed:
            kept = (Message.of("project.needs-torch", version=max(self.needed)), *kept)
        return (*self.readiness.obstacles(), *kept)

    @property
    def version(self) -> Version:
        """The PyTorch version."""
        return self.options.require_version()

    def results(self, tree: OutputTree | None) -> Generator[Result, None, None]:
        """What becomes of each entry of the project, in order; without a tree, nothing is written.

        Raises:
            ProjectError: the output cannot be written, the migration was cancelled, or some rule of the
                user's matched nothing and must.
        """
        job = FileJob(
            root=str(self.root),
            destination=str(tree.directory) if tree is not None else None,
            options=self.options,
            project=self.project,
            codemods=self.codemods,
            wants_hunks=self.page is not None,
            fixes=not self.looks_only,
            transform=self.transform,
        )
        workers = worker_count(self.jobs, self.survey.work, self.survey.python_files)
        links = self.options.large_files is LargeFiles.LINK
        items = _Feeder(self, tree, links_large=links).items()
        files = 0
        done = ordered_map(job, items, workers, self.sinks.cancelled)
        with closing(done), MemberResolver(self.options) as resolver:
            for result in done:
                if tree is not None and isinstance(result, FileOutcome) and result.written is not None:
                    tree.record_file(result.written)
                self._note(result)
                self.matched.update(result.matched if isinstance(result, FileOutcome) else ())
                yield self._with_resolved_members(self._with_way(result), resolver, files)
                files += isinstance(result, FileOutcome) or result.is_file
                total = max(self.survey.files, files)
                self.sinks.progress(Progress(Phase.MIGRATE, files, total, result.path))
        if self.options.require_rule_matches:
            require_matches(self.options, self.matched)

    def recorded(self, results: Iterable[Result], reports: Reports | None) -> Summary:
        """Count results, and have the reports and the front end know of them.
        Raises OutputError: a report cannot be written."""
        summary = Summary(python_files=self.survey.python_files)
        for result in results:
            self._record(self._on_page(result), summary, reports)
        summary.obstacles = len(self.readiness.obstacles())
        summary.silenced = self.silenced.sources
        self.tally.settle(summary)
        return summary

    def _note(self, result: Result) -> None:
        if isinstance(result, FileOutcome):
            self.silenced.add_file(result.path, result.silenced)
            self.readiness.note(result)
            self.needed.update(edit.since for edit in result.applied if edit.since is not None)
            if not any(item.finding.code in OF_SETTINGS for item in result.remaining):
                self.readiness.note_other(str(self.root), result.path)  # else the finding says so
        elif result.is_other:
            self.readiness.note_other(str(self.root), result.path)
            self.unexamined.add(result.path, names_gpus=names_gpus(str(self.root), result.path))

    def _with_way(self, result: Result) -> Result:
        """The result, with the programs that reach its file."""
        way = self.programs.way_of(result.path)
        if isinstance(result, FileOutcome):
            return result._replace(way=way.as_text())
        if result.counts_as == "excluded":
            self.tally.leave_out(shown(result.path), way)
        return result

    def _on_page(self, result: Result) -> Result:
        """Take the result into the report for people; what only that needs is left behind."""
        if self.page is None:
            return result
        with writing(self.page.directory or tempfile.gettempdir()):
            if isinstance(result, FileOutcome):
                self.page.add(result)
                return result._replace(hunks=None)
            if result.note is not None:
                self.page.note(result.note)
        return result

    def _with_resolved_members(self, result: Result, resolver: MemberResolver, files: int) -> Result:
        """The result, with what the rest of the project proves of the file's open members."""
        if not isinstance(result, FileOutcome) or not result.unresolved:
            return result
        path, total = result.path, max(self.survey.files, files)

        def before() -> None:
            if self.sinks.cancelled():
                raise CancelledError
            self.sinks.progress(Progress(Phase.TYPES, files, total, path))

        done = resolver.resolve(str(self.root), result.unresolved, before)
        self.unasked.extend(member for member in done.open if member.can_be_asked)
        found = tuple(RemainingFinding(item.finding, item.line, item.line) for item in done.resolved)
        return result._replace(remaining=result.remaining + found, unresolved=done.open)

    def _record(self, result: Result, summary: Summary, reports: Reports | None) -> None:
        if isinstance(result, FileOutcome):
            summary.files += 1
            count_outcome(summary, result)
            self.tally.add(result)
            if reports is not None:
                reports.add(result)
            if result.says_something:
                self.sinks.on_file(result)
        else:
            summary.files += result.is_file
            if result.counts_as is not None:
                setattr(summary, result.counts_as, getattr(summary, result.counts_as) + 1)
            if reports is not None and result.note is not None:
                reports.note(result.note, result.severity)


class _Feeder:
    """Walks the project: what needs work becomes a task, everything else is done on the spot."""

    def __init__(self, run: Run, tree: OutputTree | None, *, links_large: bool) -> None:
        self._links_large = links_large
        self._root = str(run.root)
        self._tree = tree
        self._own_files = run.own_files
        self._silenced = run.silenced
        self._excludes = run.excludes

    def items(self) -> Iterator[_Item]:
        """Tasks and finished results, in the order of the walk."""
        for entry in walk(Path(self._root), self._excludes):
            self._silenced.look_at(Path(self._root), entry)
            if self._tree is not None and entry.kind not in NEVER_WRITTEN:
                self._tree.plan(entry.path)
            if entry.kind in EXAMINED:
                yield Todo(entry)
            elif entry.kind is EntryKind.DIRECTORY:
                if self._tree is not None:
                    self._tree.add_directory(entry.path, entry.mode)
            else:
                yield Ready(self._passed(entry))

    def _passed(self, entry: Entry) -> Result:
        path = shown(entry.path)
        if entry.kind is EntryKind.UNREADABLE:
            reason = Message.of("project.unreadable-entry")
            return FileOutcome(path, FileStatus.UNREADABLE, problem=reason)
        if entry.kind is EntryKind.OWN:
            if entry.path.rpartition("/")[2] not in RESERVED_NAMES:
                self._own_files.add(path)
            note = Message.of("project.own-left-out", path=path)
            return Passed(path, note, counts_as="left_out", is_file=False)
        if entry.kind is EntryKind.OMITTED:
            note = Message.of("project.omitted", path=path, option=self._silenced.chosen_by("exclude"))
            return Passed(path, note, counts_as="left_out", is_file=False)
        if entry.kind in _LEFT_OUT:
            note = Message.of(_LEFT_OUT[entry.kind], path=path)
            return Passed(path, note, counts_as="left_out", is_file=False)
        if entry.kind is EntryKind.SPECIAL:
            note = Message.of("project.special-file", path=path)
            return Passed(path, note, Severity.WARNING, counts_as="left_out", is_file=False)
        try:
            return self._copied(entry, path)
        except UnreadableError as error:
            return FileOutcome(path, FileStatus.UNREADABLE, problem=error.message)

    def _copied(self, entry: Entry, path: str) -> Result:
        if entry.kind is EntryKind.LINK:
            passed = self._linked(entry, path)
            where = leads(Path(self._root), entry, self._excludes)
            if where is not Leads.UNEXAMINED_SOURCE:
                return passed
            problem = Message.of("project.link-unexamined", target=shown(target_of(self._root, entry.path)))
            return FileOutcome(path, FileStatus.FAILED, problem=problem)
        if self._links_large and is_large(entry) and self._is_linked_to_original(entry):
            note = Message.of("project.large-link", path=path, size=size_text(entry.size))
            return Passed(path, note, is_other=True)
        if self._tree is not None:
            digest = copy_file(join(self._root, entry.path), self._target(entry))
            self._tree.record_file(WrittenFile(entry.path, digest))
        if entry.kind is EntryKind.EXCLUDED:
            return Passed(
                path,
                Message.of("project.excluded", path=path, option=self._silenced.chosen_by("copy")),
                counts_as="excluded",
            )
        return Passed(path, is_other=entry.kind is EntryKind.OTHER)

    def _is_linked_to_original(self, entry: Entry) -> bool:
        """Link a large file instead of copying it, where the system allows links: relatively, so that both
        folders can be moved together."""
        if self._tree is None:
            return True
        try:
            original = Path(join(self._root, entry.path)).resolve()
            place = Path(join(str(self._tree.target), entry.path)).parent
            Path(self._target(entry)).symlink_to(way_between(place, original) or original)
        except OSError:
            return False
        self._tree.record_link(entry.path)
        return True

    def _linked(self, entry: Entry, path: str) -> Passed:
        if self._tree is None:
            return Passed(path, is_file=False)
        copied = partial(is_copied, Path(self._root), excludes=self._excludes)
        outside = copy_link(self._root, entry.path, self._target(entry), copied)
        self._tree.record_link(entry.path)
        if outside is None:
            return Passed(path, is_file=False)
        is_inside = Path(outside).is_relative_to(self._root)
        name = "project.link-not-copied" if is_inside else "project.link-leads-out"
        note = Message.of(name, path=path, target=shown(outside))
        return Passed(path, note, Severity.WARNING, is_file=False)

    def _target(self, entry: Entry) -> str:
        if self._tree is None:
            raise RuntimeError("nothing is to be written")
        return join(str(self._tree.directory), entry.path)
