"""A run ends with its processes, with the deadline, or when it is cancelled; nothing is left running.

The processes here train nothing and need no torch: what counts steps has tests of its own.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.errors import CancelledError, InputError
from gpu2ascend.verify.result.failures import first_failure
from gpu2ascend.verify.result.stacks import innermost
from gpu2ascend.verify.running.entry import Command
from gpu2ascend.verify.running.supervise import Ending, Plan, Run, run_project
from gpu2ascend.verify.verify import fill_folder
from tests.server.verify.alive import ends, is_alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests ask for processes as POSIX does")

NEVER = 120.0
"""Seconds that no run here needs."""


class Project:
    """A script, and how it runs."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.heard: list[tuple[int, str]] = []

    def run(
        self,
        script: str,
        ranks: int | None = None,
        seconds: float = NEVER,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Run:
        """Run the script to its end."""
        project, folder = self.place / "project", self.place / "path"
        project.mkdir()
        folder.mkdir()
        (project / "train.py").write_text(script, "utf-8")
        fill_folder(folder)
        plan = Plan(
            command=Command((sys.executable, "train.py"), False),
            python=Path(sys.executable),
            directory=project,
            folder=folder,
            records=self.place / "records",
            ranks=ranks,
            steps=1,
            seconds=seconds,
            seed=0,
        )
        return run_project(plan, lambda number, line: self.heard.append((number, line)), cancelled)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project in an empty directory."""
    return Project(tmp_path)


def test_a_script_that_ends_made_no_steps(project: Project) -> None:
    run = project.run("print('hello')\n")
    assert (run.ending, run.codes, project.heard) == (Ending.EXITED, (0,), [(0, "hello")])
    assert [record.lines for record in run.records] == [{"train.py": (1,)}]


def test_an_error_is_kept_with_its_frames(project: Project) -> None:
    run = project.run("def main():\n    raise ValueError('no data')\n\n\nmain()\n")
    failure = first_failure(run, project.place / "project")
    assert failure is not None and (failure.type, failure.text) == ("ValueError", "no data")
    assert [(place.path, place.line) for place in failure.traceback] == [("train.py", 5), ("train.py", 2)]


def test_an_error_that_was_caught_and_printed_is_read_from_the_output(project: Project) -> None:
    script = (
        "import sys, traceback\ntry:\n    int('x')\nexcept ValueError:\n"
        "    traceback.print_exc()\n    sys.exit(3)\n"
    )
    failure = first_failure(project.run(script), project.place / "project")
    assert failure is not None and failure.type == "ValueError"
    assert failure.place is not None and failure.place.line == 3


@pytest.mark.slow
def test_the_first_of_two_ranks_that_fail_counts_and_the_other_is_ended(project: Project) -> None:
    script = "import os, time\nif os.environ['RANK'] == '1':\n    raise KeyError('rank 1')\ntime.sleep(600)\n"
    run = project.run(script, ranks=2)
    failure = first_failure(run, project.place / "project")
    assert run.ending is Ending.EXITED
    assert failure is not None and (failure.rank, failure.type) == (1, "KeyError")
    assert all(ends(record.pid) for record in run.records)


@pytest.mark.slow
def test_what_hangs_ends_with_the_stack_of_every_rank(project: Project) -> None:
    script = "import time\n\n\ndef wait():\n    time.sleep(600)\n\n\nwait()\n"
    run = project.run(script, ranks=2, seconds=6)
    assert run.ending is Ending.TIMEOUT and len(run.records) == 2
    for record in run.records:
        places = innermost(record.stacks, project.place / "project")
        assert [place.line for place in places] == [8, 5], record.stacks


def test_what_a_launcher_started_in_a_session_of_its_own_ends_too(project: Project) -> None:
    script = (
        "import subprocess, sys, time\n"
        "code = 'import time; time.sleep(600)'\n"
        "subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
        "time.sleep(1)\nraise SystemExit(1)\n"
    )
    run = project.run(script)
    assert len(run.records) == 2
    assert all(ends(record.pid) for record in run.records)


def test_cancelled_nothing_is_left(project: Project) -> None:
    records = project.place / "records"
    with pytest.raises(CancelledError):
        project.run("import time\ntime.sleep(600)\n", cancelled=lambda: bool(list(records.glob("*.json"))))
    numbers = [int(path.stem) for path in records.glob("*.json")]
    assert numbers and not any(map(is_alive, numbers))


def test_it_ends_with_the_command_that_started_it(project: Project) -> None:
    process = os.fork()
    if process == 0:
        project.run("import time\ntime.sleep(600)\n")
        os._exit(0)
    records = project.place / "records"
    until = time.time() + NEVER
    while not list(records.glob("*.json")) and time.time() < until:
        time.sleep(0.05)
    os.kill(process, 9)
    os.waitpid(process, 0)
    (started,) = [int(path.stem) for path in records.glob("*.json")]
    assert is_alive(os.getpid()) and ends(started)


def test_no_file_of_the_project_changes(project: Project) -> None:
    directory = project.place / "project"
    run = project.run("import sys\nsys.path.insert(0, '.')\nimport train\n")
    assert run.codes == (0,)
    assert [path.name for path in directory.iterdir()] == ["train.py"]


def test_what_cannot_be_started_is_an_error(project: Project) -> None:
    plan = Plan(
        command=Command(("/no/such/program",), True),
        python=Path(sys.executable),
        directory=project.place,
        folder=project.place,
        records=project.place / "records",
        ranks=None,
        steps=1,
        seconds=NEVER,
        seed=0,
    )
    with pytest.raises(InputError, match="cannot be started"):
        run_project(plan, lambda number, line: None, lambda: False)
