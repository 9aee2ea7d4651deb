"""An update that is killed leaves the old state or the new one, whole; the next run says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.project.errors import OutputError
from gpu2ascend.project.files.writing.exchange import exchanged
from gpu2ascend.project.update.places import update_target
from tests.server.project.conftest import Migrate
from tests.server.project.samples import tree
from tests.server.project.update.test_update import CUDA, Make, Project

SCRIPT = """
import os, signal, sys
from pathlib import Path
from gpu2ascend.project.migrate import output
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend.project.report.merge import Deletions, UpdateRequest
from gpu2ascend.project.update import update
from tests.server.project.samples import OPTIONS

module, name, is_after, source, target = sys.argv[1:]
place = {"output": output, "update": update, "rename": Path}[module]
if module == "rename":
    output.exchanged = lambda one, other: False
real = getattr(place, name)

def killed(*arguments):
    if is_after == "after":
        real(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(place, name, killed)
wanted = UpdateRequest(Path(target), Deletions.FOLLOW)
migrate(MigrationRequest(input=Path(source), output=Path(target), options=OPTIONS, update=wanted, jobs=1))
"""
MOMENTS = {
    "before files are merged": ("update", "apply", "before", "old"),
    "when files are merged": ("update", "apply", "after", "old"),
    "before the exchange": ("output", "exchanged", "before", "old"),
    "after the exchange": ("output", "exchanged", "after", "new"),
    "while the old state is removed": ("output", "remove_tree", "before", "new"),
}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")


def kill(project: Project, module: str, name: str, moment: str) -> None:
    """Update a project in a process that is killed at a moment."""
    words = [module, name, moment, str(project.root), str(project.output)]
    top = Path(__file__).parents[4]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], check=False, cwd=top)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_output_is_the_old_state_or_the_new_one(run: Migrate, make: Make, moment: str) -> None:
    module, name, when, state = MOMENTS[moment]
    project = Project(run, make)
    project.by_hand(a_py=project.read("a.py").replace("value_3 = 3", "value_3 = 'mine'"), own_py="mine")
    project.upstream(a_py=CUDA.replace("value_15 = 15", "value_15 = 'new'"))
    before = tree(project.output)
    kill(project, module, name, when)
    text = project.read("a.py")
    assert "value_3 = 'mine'" in text and project.read("own.py") == "mine"
    assert ("value_15 = 'new'" in text) is (state == "new")
    assert state == "new" or tree(project.output) == before
    notices = project.notices_of_update()
    assert {"project.left-behind", "project.ended-before"} & {notice.id for notice in notices}
    assert "value_15 = 'new'" in project.read("a.py") and "value_3 = 'mine'" in project.read("a.py")


@pytest.mark.slow
def test_where_two_directories_cannot_be_exchanged_the_old_state_is_named(run: Migrate, make: Make) -> None:
    project = Project(run, make)
    project.by_hand(own_py="mine")
    kill(project, "rename", "rename", "after")
    assert not project.output.exists()
    with pytest.raises(OutputError) as caught:
        update_target(project.root, project.output)
    assert caught.value.message.id == "update.set-aside"
    old = Path(dict(caught.value.message.arguments)["old"])
    assert (old / "own.py").read_text() == "mine"
    old.rename(project.output)
    project.update()
    assert project.read("own.py") == "mine"


def test_directories_are_exchanged_in_one_step(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for place in (one, other):
        place.mkdir()
        (place / place.name).touch()
    assert exchanged(one, other)
    assert [path.name for path in (*one.iterdir(), *other.iterdir())] == ["other", "one"]
    with pytest.raises(OSError, match="No such file"):
        exchanged(one, tmp_path / "nowhere")
