"""Check files and directories, or fix them where they are: what ``gpu2ascend check`` shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import attrs

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.options.options import MigrationOptions

from ..entries.chosen import chosen_entries
from ..entries.facts.collected import ProgramFactsBuilder
from ..entries.programs import Programs
from ..errors import InputError, reason
from ..examination import Examination
from ..files.discover import EXAMINED, EntryKind, may_hide_sources, walk
from ..files.excludes import Editable, Excludes
from ..files.links import Leads, leads, target_of
from ..files.places import input_directory
from ..files.silenced import SilencedByProject
from ..fixing import Transform
from ..held import Held
from ..index.loose_files import entries_around, imports_nothing_near
from ..index.resolve_members import MemberResolver
from ..index.sources.directories import marked_directory, project_directory
from ..index.survey import Survey, SurveyListener, survey_project, worker_count
from ..index.view import ProjectFiles
from ..leftovers import leftovers_of, remove_leftover
from ..options.custom_rules import with_custom_rules
from ..paths import exists, is_directory, join, shown
from ..processes.workers import Ready, Todo, never, ordered_map
from ..report.verdict.way import ON_THE_WAY
from .check_job import CheckJob, CheckTask, Examined


class _Target(NamedTuple):
    """A path to check, with the project that it belongs to."""

    given: Path
    root: Path
    """Of a directory, itself; of a file, the directory of its project."""
    file: str | None
    """The file, relative to the root; None for a directory."""
    is_loose: bool = False
    """Whether the file is in no project, so that little of what lies around it is looked at."""


def check_paths(
    paths: Iterable[Path],
    options: MigrationOptions,
    *,
    fix: bool = False,
    read_only: bool = False,
    previews: bool = False,
    proves: bool = False,
    forces_exclude: bool = False,
    jobs: int = 0,
    language: str = "en",
    on_left_out: Callable[[str], None] = lambda path: None,
    on_examined: Callable[[str], None] = lambda path: None,
    texts: Mapping[str, str] | None = None,
    only: Collection[str] = (),
    silenced: SilencedByProject | None = None,
    transform: Transform = apply_fixes,
) -> Generator[Examination, None, None]:
    """Check each file that there are rules for at or below ``paths``, in order; those without a finding, too.

    A file named directly is checked whatever its name, unless ``forces_exclude`` lets the ``exclude``
    patterns of the options hold for it as for those below a directory. With ``fix``, safe fixes (and unsafe
    ones, if the options ask for them) are written to the files, whole or not at all, and the findings are
    those that remain. A file that changed meanwhile, has several names, or is write-protected stays as it is,
    the last unless ``read_only`` is set. What killed runs have left beside the files is removed. With
    ``previews`` nothing is written, and the examinations have the text before the fixes.
    With ``proves``, what the files leave unresolved is looked up across the project, which takes seconds.
    ``texts`` count in place of what the files hold, by path relative to the one directory that is checked.
    ``only`` names files and directories below it: the others are read for what they define, not examined.
    ``language`` is that of the README of the package of equivalents that ``fix`` may add.
    ``on_left_out`` gets the path of what may hold sources and is not looked at: an environment, a directory
    that cannot be listed, a pipe with the name of a source.
    ``on_examined`` gets the path of each file that was examined, before any is written.
    ``transform`` is what ``fix`` makes of a file in place of the fixes.
    ``silenced`` collects what the project itself keeps from being examined or reported.
    Close the iterator if you stop early (``contextlib.closing``): it ends the worker processes.

    Raises:
        InputError: a path does not exist or cannot be listed.
        OptionError: the options choose no version.
        RuleFileProblem: the user's rule file cannot be used.
    """
    options.require_version()
    options = with_custom_rules(options)
    targets = [_target(path) for path in paths]
    if fix:
        from ..files.writing.equivalents import refuse_foreign_package

        for target in targets:
            refuse_foreign_package(target.root, options)
    excludes = Excludes(options.exclude, options.copy)
    limit = options.max_file_bytes
    surveyed = _surveyed_projects(targets, excludes, limit)
    projects = {
        str(root): item.files(texts, limit, Editable(excludes, None, root, read_only) if fix else None)
        for root, item in surveyed.items()
    }
    for project in projects.values():
        if project.is_complete:
            project.program.decided(options)
    job = CheckJob(
        options=options,
        projects=projects,
        fix=fix,
        read_only=read_only,
        previews=previews,
        proves=proves,
        texts=texts or {},
        transform=transform,
    )
    named = excludes if forces_exclude else Excludes(())
    silenced = silenced if silenced is not None else SilencedByProject(options)
    passed = _Passed(on_left_out, silenced, remove_leftover if job.writes else _keep, frozenset(only))
    tasks = _tasks(targets, excludes, named, passed)
    programs = _programs(surveyed, options)
    workers = worker_count(jobs, *_size(targets, surveyed))
    return _run(job, tasks, silenced, workers, language, programs, on_examined)


def findings_at(path: Path, line: int, options: MigrationOptions) -> Iterator[Finding]:
    """What is found in a line of a file, of each rule the first. Raises ProjectError: as in a check."""
    seen: set[str] = set()
    with closing(check_paths([path], options, jobs=1)) as examinations:
        for examination in examinations:
            source = examination.source
            for finding in examination.findings if source is not None else ():
                assert source is not None
                first, last = (source.lines.line_of(at) + 1 for at in (finding.start, finding.end))
                if first <= line <= last and finding.code not in seen:
                    seen.add(finding.code)
                    yield finding


class _Surveyed(NamedTuple):
    """A project of which some targets are checked."""

    targets: list[_Target]
    facts: ProgramFactsBuilder
    survey: Survey

    def files(self, texts: Mapping[str, str] | None, limit: int, editable: Editable | None) -> ProjectFiles:
        """The project as rules see it; of what may be edited, what was named of it."""
        return ProjectFiles(
            self.targets[0].root,
            self.survey.facts,
            texts,
            is_complete=self.survey.is_complete,
            max_bytes=limit,
            editable=editable._replace(only=_named(self.targets)) if editable is not None else None,
            has_settings=not all(target.is_loose for target in self.targets),
        )


def _surveyed_projects(targets: Sequence[_Target], excludes: Excludes, limit: int) -> dict[Path, _Surveyed]:
    by_root: dict[Path, list[_Target]] = {}
    for target in targets:
        by_root.setdefault(target.root, []).append(target)
    found: dict[Path, _Surveyed] = {}
    for root, of_root in by_root.items():
        facts = ProgramFactsBuilder()
        found[root] = _Surveyed(of_root, facts, _surveyed(of_root, excludes, limit, facts))
    return found


def _size(targets: Sequence[_Target], projects: Mapping[Path, _Surveyed]) -> tuple[int, int]:
    """The bytes that are to be examined, and the files."""
    surveys = [projects[target.root].survey for target in targets if target.file is None]
    files = [target.given for target in targets if target.file is not None]
    work = sum(survey.work for survey in surveys) + sum(file.stat().st_size for file in files)
    return work, sum(survey.python_files for survey in surveys) + len(files)


def _named(targets: Sequence[_Target]) -> frozenset[str] | None:
    """The files of a project that were named; None where its directory was."""
    files = frozenset(target.file for target in targets if target.file is not None)
    return files if len(files) == len(targets) else None


def _programs(surveyed: Mapping[Path, _Surveyed], options: MigrationOptions) -> dict[str, Programs]:
    whole = {root: item for root, item in surveyed.items() if item.survey.is_complete}
    chosen = _chosen([item.targets[0] for item in whole.values()], options)
    return {
        str(root): Programs(root, item.facts.result(), tuple(chosen[root])) for root, item in whole.items()
    }


def _chosen(projects: Sequence[_Target], options: MigrationOptions) -> dict[Path, dict[str, None]]:
    """The entries that the options name, by the project that has them.
    Raises InputError: no file has one of them. It is not raised for files alone."""
    chosen: dict[Path, dict[str, None]] = {target.root: {} for target in projects}
    for entry in options.chosen_entries:
        refused: list[InputError] = []
        for target in projects:
            try:
                chosen[target.root].update(dict.fromkeys(chosen_entries(target.root, (entry,))))
            except InputError as error:
                refused.append(error)
        if len(refused) == len(projects) and any(target.file is None for target in projects):
            raise refused[0]
    return chosen


def _target(path: Path) -> _Target:
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        real = path
    if is_directory(real) or not exists(real):
        return _Target(path, input_directory(path), None)
    root = project_directory(real)
    is_loose = marked_directory(real) is None
    return _Target(path, root, real.relative_to(root).as_posix(), is_loose)


def _surveyed(targets: list[_Target], excludes: Excludes, max_bytes: int, listener: SurveyListener) -> Survey:
    """The project of some targets; that of a single file is read too, for what its other files define."""
    root = targets[0].root
    loose = [target.file for target in targets if target.is_loose and target.file is not None]
    entries = entries_around(root, loose, excludes) if len(loose) == len(targets) else None
    try:
        survey = survey_project(root, excludes, lambda done, path: None, never, max_bytes, entries, listener)
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(targets[0].given), reason=reason(error))
        ) from error
    is_complete = survey.is_complete or all(imports_nothing_near(root, file, max_bytes) for file in loose)
    return survey._replace(is_complete=is_complete)


def _run(
    job: CheckJob,
    tasks: Iterable[CheckTask],
    silenced: SilencedByProject,
    workers: int,
    language: str,
    programs: Mapping[str, Programs],
    on_examined: Callable[[str], None],
) -> Generator[Examination, None, None]:
    used: dict[str, set[str]] = {}
    pending: deque[CheckTask] = deque()
    try:
        with ExitStack() as stack:
            made = ordered_map(job, _remembered(tasks, pending), workers)
            stack.enter_context(closing(made))
            examined = stack.enter_context(closing(Held(_shown(made, on_examined)))) if job.writes else made
            resolver = stack.enter_context(MemberResolver(job.options))
            for item in examined:
                task = pending.popleft()
                answer = job.written(task, item)
                used.setdefault(task.root, set()).update(answer.equivalents)
                silenced.add_file(shown(task.shown), answer.silenced)
                way = programs[task.root].way_of(task.path) if task.root in programs else ON_THE_WAY
                proven = _with_resolved_members(answer, task.root, resolver)
                yield attrs.evolve(proven, path=task.shown, way=way.as_text())
    finally:  # the files that were fixed before an interrupt need it, too
        for root, parts in used.items():
            if parts and job.writes:
                from ..files.writing.equivalents import add_package

                add_package(Path(root), parts, language)


def _shown(made: Iterable[Examined], on_examined: Callable[[str], None]) -> Iterator[Examined]:
    """The same results; each is reported as it comes."""
    for item in made:
        on_examined(shown(item.file.path))
        yield item


def _remembered(
    tasks: Iterable[CheckTask], into: deque[CheckTask]
) -> Iterator[Todo[CheckTask] | Ready[Examined]]:
    """The tasks as items of a pool. Results come in the same order, so that the first one of ``into`` is the
    task of the next result."""
    for task in tasks:
        into.append(task)
        yield Todo(task)


def _with_resolved_members(answer: Examination, root: str, resolver: MemberResolver) -> Examination:
    """The result, with what the rest of the project proves of the file's open members."""
    if not answer.unresolved:
        return answer
    done = resolver.resolve(root, answer.unresolved)
    findings = (*answer.findings, *(item.finding for item in done.resolved))
    in_order = tuple(sorted(findings, key=lambda item: (item.start, item.end, item.code)))
    proven = tuple(item.finding for item in done.resolved)
    return attrs.evolve(answer, findings=in_order, unresolved=done.open, proven=proven)


class _Passed(NamedTuple):
    """Receives what is not examined."""

    left_out: Callable[[str], None]
    silenced: SilencedByProject
    leftover: Callable[[Path], None]
    only: frozenset[str]

    def wants(self, path: str) -> bool:
        """Whether a file is one of those that are examined."""
        return not self.only or any(str(part) in self.only for part in (path, *PurePosixPath(path).parents))


def _tasks(
    targets: Iterable[_Target], excludes: Excludes, of_named: Excludes, passed: _Passed
) -> Iterator[CheckTask]:
    """Each file once, even if two of the given paths reach it: two must not fix it at a time."""
    seen: set[str] = set()
    for target in targets:
        if target.file is not None and of_named.match(target.file):
            passed.silenced.add_named(target.file, shown(target.given))
            continue
        for path, problem in _files(target, excludes, passed):
            real = join(str(target.root), path)
            if real not in seen and passed.wants(path):
                seen.add(real)
                place = target.given if target.file is not None else target.given.joinpath(*path.split("/"))
                yield CheckTask(str(target.root), path, str(place), problem)


def _keep(leftover: Path) -> None:
    """What a check without fixes does with what a killed run has left: it only reads."""


def _files(target: _Target, excludes: Excludes, passed: _Passed) -> Iterator[tuple[str, Message | None]]:
    """Each file, and why it is not examined if it should be and cannot."""
    if target.file is not None:
        for leftover in leftovers_of(target.root.joinpath(*target.file.split("/"))):
            passed.leftover(leftover)
        yield target.file, None
        return
    for entry in walk(target.root, excludes):
        if entry.kind in EXAMINED:
            yield entry.path, None
            continue
        if entry.kind is EntryKind.LEFTOVER:
            passed.leftover(target.root.joinpath(*entry.path.split("/")))
            continue
        where = leads(target.root, entry, excludes) if entry.kind is EntryKind.LINK else None
        if where is Leads.UNEXAMINED_SOURCE:
            yield (
                entry.path,
                Message.of("project.link-unexamined", target=shown(target_of(str(target.root), entry.path))),
            )
            continue
        place = shown(target.given.joinpath(*entry.path.split("/")))
        if may_hide_sources(entry) or where is Leads.UNEXAMINED:
            passed.left_out(place)
        passed.silenced.look_at(target.root, entry, place)
