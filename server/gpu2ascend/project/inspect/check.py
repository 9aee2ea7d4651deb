"""Check files and directories, or fix them where they are: what ``gpu2ascend check`` shows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.model.outcome import AppliedFix
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.unresolved import Unproven

from ..errors import InputError, reason
from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.notebooks import Examined, NotebookFile, is_notebook
from ..files.paths import exists, is_directory, join, shown
from ..files.places import input_directory
from ..index.resolve_members import Prover
from ..index.survey import Survey, survey_project, worker_count
from ..index.view import ProjectFiles, project_directory
from ..migrate.equivalents import add_package, refuse_foreign_package
from ..options.custom_rules import with_custom_rules
from ..processes.workers import Ready, Todo, never, ordered_map
from .check_job import CheckAnswer, CheckJob, CheckTask


class CheckedFile(NamedTuple):
    """A file and what was found in it."""

    path: Path
    """As reached from the path given."""
    source: SourceFile | None
    """The text that the findings' offsets refer to; None if the file could not be read or decoded."""
    findings: tuple[Finding, ...]
    applied: tuple[AppliedFix, ...] = ()
    """With ``fix``: the edits that were made to the file."""
    problem: Message | None = None
    """Why the file could not be examined, is no valid Python, or could not be fixed: exit code 2. A file
    that does not parse as a whole has both a problem and the findings in the parts that do."""
    notebook: NotebookFile | None = None
    """Of a notebook: its cells, whose composite is the source."""
    unproven: tuple[Unproven, ...] = ()
    """With ``proves``: members that a support list may speak of, on receivers that nothing proves to be
    PyTorch's."""
    equivalents: frozenset[str] = frozenset()
    """With ``fix``: the parts of the package of equivalents that the file uses now."""
    matched: frozenset[int] = frozenset()
    """The user's own rules, by index, that match something in it."""


class _Target(NamedTuple):
    """A path to check, with the project that it belongs to."""

    given: Path
    root: Path
    """Of a directory, itself; of a file, the directory of its project."""
    file: str | None
    """The file, relative to the root; None for a directory."""


def check_paths(
    paths: Iterable[Path],
    options: MigrationOptions,
    *,
    fix: bool = False,
    proves: bool = False,
    jobs: int = 0,
    cancelled: Callable[[], bool] | None = None,
    language: str = "en",
) -> Generator[CheckedFile, None, None]:
    """Check each Python file at or below ``paths``, in order; files without a finding or problem too.

    A file named directly is checked whatever its name; below a directory, Python files that no
    ``exclude`` pattern of the options matches. With ``fix``, safe fixes (and unsafe ones, if the options
    ask for them) are written to the files, whole or not at all, and the findings are those that remain.
    With ``proves``, what the files leave unproven is looked up across the project, which takes seconds.
    ``language`` is that of the README of the package of equivalents that ``fix`` may add.
    Close the iterator if you stop early (``contextlib.closing``): it ends the worker processes.

    Raises:
        InputError: a path does not exist or cannot be listed.
        OptionError: the options choose no version.
        RuleFileProblem: the user's rule file cannot be used.
        CancelledError: ``cancelled`` became true.
    """
    options.require_version()
    options = with_custom_rules(options)
    targets = [_target(path) for path in paths]
    if fix:
        for target in targets:
            refuse_foreign_package(target.root, options)
    is_cancelled = cancelled or never
    excludes = Excludes(options.exclude)
    projects = {str(target.root): ProjectFiles(target.root) for target in targets}
    work = files = 0
    for target in targets:
        if target.file is not None:
            work, files = work + target.given.stat().st_size, files + 1
            continue
        survey = _surveyed(target, excludes, is_cancelled)
        work, files = work + survey.work, files + survey.python_files
        projects[str(target.root)] = ProjectFiles(target.root, survey.facts)
    job = CheckJob(options=options, projects=projects, fix=fix, proves=proves)
    return _run(job, targets, excludes, worker_count(jobs, work, files), is_cancelled, language)


def _target(path: Path) -> _Target:
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        real = path
    if is_directory(real) or not exists(real):
        return _Target(path, input_directory(path), None)
    root = project_directory(real)
    return _Target(path, root, real.relative_to(root).as_posix())


def _surveyed(target: _Target, excludes: Excludes, cancelled: Callable[[], bool]) -> Survey:
    try:
        return survey_project(target.root, excludes, lambda done, path: None, cancelled)
    except OSError as error:
        raise InputError(
            Message.of("project.input-unreadable", path=shown(target.given), reason=reason(error))
        ) from error


def _run(
    job: CheckJob,
    targets: Iterable[_Target],
    excludes: Excludes,
    workers: int,
    cancelled: Callable[[], bool],
    language: str,
) -> Generator[CheckedFile, None, None]:
    items: Iterator[Todo[CheckTask] | Ready[CheckAnswer]] = map(Todo, _tasks(targets, excludes))
    used: dict[str, set[str]] = {}
    answers = ordered_map(job, items, workers, cancelled)
    try:
        with closing(answers), Prover(job.options) as prover:
            for answer in answers:
                used.setdefault(answer.task.root, set()).update(answer.equivalents)
                yield _checked_file(_settled(answer, prover))
    finally:  # the files that were fixed before an interrupt need it, too
        for root, parts in used.items():
            if parts:
                add_package(Path(root), parts, language)


def _settled(answer: CheckAnswer, prover: Prover) -> CheckAnswer:
    """The answer, with what the rest of the project proves of the file's open members."""
    if not answer.unproven:
        return answer
    done = prover.settle(answer.task.root, answer.unproven)
    findings = (*answer.findings, *(item.finding for item in done.proven))
    in_order = tuple(sorted(findings, key=lambda item: (item.start, item.end, item.code)))
    return answer._replace(findings=in_order, unproven=done.open)


def _checked_file(answer: CheckAnswer) -> CheckedFile:
    path = Path(answer.task.shown)
    if answer.text is not None and answer.findings and is_notebook(answer.task.path):
        done = Examined(answer.text, answer.findings, answer.applied, answer.problem)
        return checked_notebook(path, done)._replace(matched=answer.matched)
    source = SourceFile(answer.text, answer.task.path) if answer.text is not None else None
    return CheckedFile(
        path,
        source,
        answer.findings,
        answer.applied,
        answer.problem,
        unproven=answer.unproven,
        matched=answer.matched,
    )


def checked_notebook(path: Path, done: Examined) -> CheckedFile:
    """What was found in a notebook, with the cells that the findings are in."""
    notebook = NotebookFile.whole(done.text, str(path))
    source = notebook.composite.source
    return CheckedFile(
        path, source, done.findings, done.applied, done.problem, notebook, equivalents=done.equivalents
    )


def _tasks(targets: Iterable[_Target], excludes: Excludes) -> Iterator[CheckTask]:
    """Each file once, even if two of the given paths reach it: two must not fix it at a time."""
    seen: set[str] = set()
    for target in targets:
        for path in _files(target, excludes):
            real = join(str(target.root), path)
            if real not in seen:
                seen.add(real)
                place = target.given if target.file is not None else target.given.joinpath(*path.split("/"))
                yield CheckTask(str(target.root), path, str(place))


def _files(target: _Target, excludes: Excludes) -> Iterator[str]:
    if target.file is not None:
        yield target.file
        return
    for entry in walk(target.root, excludes):
        if entry.kind is EntryKind.PYTHON:
            yield entry.path
