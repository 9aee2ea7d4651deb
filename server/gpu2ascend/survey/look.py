"""A look at one project, in a process of its own: whatever happens there costs this project alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import attrs

from gpu2ascend_rules.messages import render

from ..project.errors import CancelledError, InputError, ProjectError
from ..project.files.excludes import Excludes
from ..project.files.places import input_directory
from ..project.migrate.migrate import migrate
from ..project.options.version_detect import version_to_read
from ..project.paths import shown
from ..project.processes.cancellable import CancellableProcess, FolderWork, Reporter
from ..project.report.result import FileOutcome, MigrationRequest, MigrationResult
from ..project.report.verdict.verdict import State as Verdict
from .model import Left, State, Surveyed
from .projects import fingerprint

_NO_PYTHON = "project.input-no-python"


@attrs.frozen(kw_only=True)
class Task(FolderWork):
    """A project to look at. Goes to other processes, and to other machines that see the same files."""

    language: str = "en"

    def __call__(self, reporter: Reporter) -> Surveyed:
        return surveyed(self)


@attrs.frozen
class Looked:
    """What was found, and of which content."""

    project: Surveyed
    fingerprint: str


def look(task: Task) -> Looked:
    """Look at a project in another process; a failure is a result.
    Raises CancelledError: this program is ending."""
    mark = fingerprint(task.root, Excludes(task.options.unexamined))
    try:
        return Looked(CancellableProcess(task).run(), mark)
    except CancelledError:
        raise
    except Exception as error:
        said = render(error.message, task.language) if isinstance(error, ProjectError) else str(error)
        return Looked(Surveyed(path=shown(task.root), state=State.FAILED, problem=said), "")


def surveyed(task: Task) -> Surveyed:
    """What a migration of a project would leave; nothing is written.
    Raises ProjectError: it cannot be looked at."""
    root = input_directory(task.root)
    options = task.options
    chosen = ""
    if options.version is None:
        detected = version_to_read(root, options.hardware)
        chosen = render(detected.notice, task.language)
        options = attrs.evolve(options, version=detected.version)
    found: Counter[tuple[str, str, str, str | None]] = Counter()
    unexamined: list[str] = []

    def on_file(outcome: FileOutcome) -> None:
        for item in outcome.remaining:
            finding = item.finding
            text = render(finding.message, task.language)
            found[finding.code, finding.severity.value, text, finding.api] += 1
        if outcome.problem is not None:
            unexamined.append(f"{outcome.path}: {render(outcome.problem, task.language)}")

    request = MigrationRequest(input=root, output=Path(), options=options, jobs=1, write=False)
    try:
        result = migrate(request, on_file=on_file)
    except InputError as error:
        if error.message.id != _NO_PYTHON:
            raise
        version = str(options.version)
        return Surveyed(path=shown(task.root), state=State.UNTOUCHED, version=version, chosen=chosen)
    left = tuple(Left(*cause, count) for cause, count in sorted(found.items(), key=lambda item: str(item)))
    return Surveyed(
        path=shown(task.root),
        state=_state(result),
        version=str(result.version),
        chosen=chosen,
        counts={**attrs.asdict(result.summary), "left_to_you": result.summary.left_to_you},
        obstacles=_obstacles(result, task.language),
        left=left,
        unexamined=tuple(sorted(unexamined)),
    )


def _state(result: MigrationResult) -> State:
    state = result.verdict.state
    if state is Verdict.BLOCKED:
        return State.BLOCKED
    if state is not Verdict.MIGRATED:
        return State.OPEN
    return State.READY if result.summary.edits else State.UNTOUCHED


def _obstacles(result: MigrationResult, language: str) -> tuple[str, ...]:
    if not result.summary.obstacles:
        return ()
    return tuple(render(notice, language) for notice in result.notices)
