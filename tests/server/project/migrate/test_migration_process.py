"""A migration in a separate process: the same result, cancelled at any moment, nothing left by anybody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.project.errors import CancelledError, OutputError, ProjectError
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.migrate.migration_process import MigrationProcess, Migrations
from gpu2ascend.project.report.result import FileStatus, MigrationRequest, Phase, Progress
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, OPTIONS, STUCK, Files, but_for_times, make_tree, names, tree

Make = Callable[[Files], Path]
TOP = Path(__file__).parents[4]
MANY = {f"p{number % 7}/m{number}.py": CUDA * 40 for number in range(300)}
"""Enough that something can happen while it is migrated."""


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., MigrationProcess]:
    """A migration into ``out`` that only needs to be run."""

    def call(root: Path, **changes: object) -> MigrationProcess:
        values = {"input": root, "output": tmp_path / "out", "options": OPTIONS, "jobs": 1, **changes}
        return MigrationProcess(MigrationRequest(**values))  # type: ignore[arg-type]

    return call


Start = Callable[..., MigrationProcess]


def ignore(progress: Progress) -> None:
    """Progress does not matter here."""


def without_log(root: Path) -> dict[str, bytes]:
    """What a migration wrote, but for the times in its log."""
    return but_for_times(tree(root))


@pytest.mark.slow
def test_the_output_is_that_of_a_migration_here(
    run: Migrate, start: Start, make: Make, tmp_path: Path
) -> None:
    root = make({"train.py": CUDA, "stuck.py": STUCK, "README.md": "x"})
    here = run(root, output=tmp_path / "here")
    in_process = start(root).run(ignore)
    assert in_process.result.summary == here.summary and in_process.result.reports == here.result.reports
    assert in_process.result.output_path == tmp_path / "out" / "proj_msft"
    assert without_log(in_process.result.output_path) == without_log(here.output)
    assert {outcome.path: outcome.status for outcome in in_process.files} == {
        "train.py": FileStatus.CHANGED,
        "stuck.py": here.outcomes["stuck.py"].status,
    }


@pytest.mark.slow
def test_progress_ends_with_the_last_step(start: Start, make: Make) -> None:
    seen: list[Progress] = []
    start(make({"train.py": CUDA})).run(seen.append)
    assert seen[-1] == Progress(Phase.FINISH, 1, 1, "")


def test_what_is_refused_is_refused_with_the_same_message(start: Start, tmp_path: Path) -> None:
    with pytest.raises(ProjectError) as caught:
        start(tmp_path / "missing").run(ignore)
    assert caught.value.message.id == "project.input-missing"


@pytest.mark.slow
@pytest.mark.parametrize("phase", [None, Phase.SURVEY, Phase.MIGRATE])
def test_cancelled_it_leaves_nothing(start: Start, make: Make, tmp_path: Path, phase: Phase | None) -> None:
    process = start(make(MANY))

    def cancel(progress: Progress) -> None:
        if progress.phase is phase:
            process.cancel()

    if phase is None:
        process.cancel()
    with pytest.raises(CancelledError):
        process.run(cancel)
    assert names(tmp_path) == ["in"]


@pytest.mark.slow
def test_a_cancel_that_comes_too_late_changes_nothing(start: Start, make: Make) -> None:
    process = start(make({"train.py": CUDA}))

    def cancel(progress: Progress) -> None:
        if progress.phase is Phase.FINISH:
            process.cancel()

    assert process.run(cancel).result.output_path is not None
    process.cancel()


@pytest.mark.slow
def test_a_project_that_vanishes_is_reported_and_nothing_is_left(
    start: Start, make: Make, tmp_path: Path
) -> None:
    root = make(MANY)

    def remove(progress: Progress) -> None:
        if progress.phase is Phase.MIGRATE and root.exists():
            shutil.rmtree(root)

    with pytest.raises(ProjectError) as caught:
        start(root).run(remove)
    assert caught.value.message.id in ("project.input-missing", "project.input-unreadable")
    assert names(tmp_path) == ["in"]


@pytest.mark.parametrize("phase", [Phase.SURVEY, Phase.MIGRATE])
@pytest.mark.parametrize("write", [True, False])
def test_it_is_reported_so_whatever_is_done_when_it_vanishes(
    make: Make, tmp_path: Path, phase: Phase, write: bool
) -> None:
    """In one process, so that it is gone before anything else is looked at."""
    root = make({"train.py": CUDA, "lib.py": CUDA})
    request = MigrationRequest(input=root, output=tmp_path / "out", options=OPTIONS, write=write, jobs=1)

    def remove(progress: Progress) -> None:
        if progress.phase is phase:
            shutil.rmtree(root, ignore_errors=True)

    with pytest.raises(ProjectError) as caught:
        migrate(request, progress=remove)
    assert caught.value.message.id in ("project.input-missing", "project.input-unreadable")
    assert names(tmp_path) == ["in"]


@pytest.mark.slow
def test_an_output_directory_that_vanishes_is_reported(start: Start, make: Make, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()

    def remove(progress: Progress) -> None:
        if progress.phase is Phase.MIGRATE:
            shutil.rmtree(tmp_path / "out", ignore_errors=True)

    with pytest.raises(ProjectError) as caught:
        start(make(MANY)).run(remove)
    assert caught.value.message.id == "project.cannot-write"
    assert not (tmp_path / "out" / "proj_msft").exists()


class Background(NamedTuple):
    """A migration that runs in a thread, and does not end before it is let go."""

    thread: threading.Thread
    ends: list[object]
    gate: threading.Event

    def result(self) -> object:
        """What it ended with, once it is let go."""
        self.gate.set()
        self.thread.join()
        (end,) = self.ends
        return end


def in_background(migrations: Migrations, process: MigrationProcess) -> Background:
    """A migration of :data:`MANY` that has begun."""
    begun, gate = threading.Event(), threading.Event()
    ends: list[object] = []

    def on_progress(progress: Progress) -> None:
        begun.set()
        # What it reports is not read meanwhile, and is more than its channel holds: it cannot end.
        gate.wait(60)

    def work() -> None:
        try:
            ends.append(migrations.run(process, on_progress))
        except ProjectError as error:
            ends.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    return Background(thread, ends, gate)


@pytest.mark.slow
def test_two_into_the_same_place_are_one_too_many(start: Start, make: Make, tmp_path: Path) -> None:
    migrations, root = Migrations(), make(MANY)
    first = start(root)
    running = in_background(migrations, first)
    with pytest.raises(OutputError) as caught:
        migrations.run(start(root), ignore)
    assert caught.value.message.id == "project.output-busy"
    small = make_tree(tmp_path / "small", {"a.py": CUDA})
    assert migrations.run(start(small), ignore).result.output_path == tmp_path / "out" / "small_msft"
    first.cancel()
    assert isinstance(running.result(), CancelledError)
    assert names(tmp_path / "out") == ["small_msft"]


@pytest.mark.slow
def test_after_one_into_the_same_place_there_may_be_another(start: Start, make: Make) -> None:
    migrations, root = Migrations(), make({"a.py": CUDA})
    migrations.run(start(root), ignore)
    migrations.run(start(root, force=True), ignore)


@pytest.mark.slow
def test_one_that_was_cancelled_is_waited_for(start: Start, make: Make, tmp_path: Path) -> None:
    migrations, root = Migrations(), make(MANY)
    cancelled = start(root)
    running = in_background(migrations, cancelled)
    cancelled.cancel()
    running.gate.set()
    small = make_tree(tmp_path / "small" / root.name, {"a.py": CUDA})
    assert names(migrations.run(start(small), ignore).result.output_path or small)
    assert isinstance(running.result(), CancelledError)


def test_all_that_run_are_cancelled_together(start: Start, make: Make, tmp_path: Path) -> None:
    migrations = Migrations()
    running = in_background(migrations, start(make(MANY)))
    migrations.cancel_all()
    assert isinstance(running.result(), CancelledError)
    assert names(tmp_path) == ["in"]


def test_nothing_is_left_when_the_program_is_killed(make: Make, tmp_path: Path) -> None:
    root = make({name: text * 3 for name, text in MANY.items()})
    path = os.pathsep.join(str(TOP / part) for part in ("rules", "server", ""))
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.server.project.killed_while_migrating",
            str(root),
            str(tmp_path / "out"),
        ],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None and program.stdout.readline() == "MIGRATING\n"
        program.kill()
    for _ in range(600):
        if names(tmp_path) == ["in"]:
            return
        time.sleep(0.05)  # the process that migrates removes its work and ends; nobody can wait for it
    raise AssertionError(names(tmp_path / "out"))


@pytest.mark.slow
def test_progress_is_told_now_and_then_and_the_end_of_it_always(start: Start, make: Make) -> None:
    told: list[Progress] = []
    start(make({f"m{number}.py": "import os\n" for number in range(300)})).run(told.append)
    assert told[-1].phase is Phase.FINISH
    assert 1 <= len(told) < 150, "a message for each file is what a client cannot follow"
