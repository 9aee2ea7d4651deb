"""A run that is killed while it writes leaves the old state or the new one, whole but for one command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.project.in_place.conftest import FILES, Repository

SCRIPT = """
import os, signal, sys
from pathlib import Path
from gpu2ascend.project.in_place import branch
from gpu2ascend.project.in_place.git import Git
from gpu2ascend.project.in_place.in_place import InPlace, migrate_in_place
from gpu2ascend.project.report.result import MigrationRequest
from tests.server.project.samples import OPTIONS

top, moment, count, hooks = sys.argv[1:]
left = int(count)

def counted(real, is_meant):
    def run(*arguments, **named):
        global left
        done = real(*arguments, **named)
        if is_meant(arguments, named):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return done
    return run

if moment == "write":
    branch._write = counted(branch._write, lambda *_: True)
else:
    def is_meant(words, named):
        return words[1] == moment and not named.get("index") and "--quiet" not in words

    Git.__call__ = counted(Git.__call__, is_meant)
request = MigrationRequest(input=Path(top), output=Path(), options=OPTIONS, jobs=1)
migrate_in_place(request, InPlace(hooks=bool(hooks)))
"""
MOMENTS = {
    "when a commit is stored": ("commit-tree", 1, "", "old"),
    "when the index holds the new state": ("update-index", 1, "", "old"),
    "when HEAD leads to it": ("symbolic-ref", 1, "", "new"),
    "when one file is written": ("write", 1, "", "new"),
    "when all but one are": ("write", 3, "", "new"),
    "when one file is written for hooks": ("write", 1, "hooks", "old"),
    "when all but one are written for hooks": ("write", 3, "hooks", "old"),
}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL")


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_one_command_brings_the_whole_state_about(repository: Repository, moment: str) -> None:
    command, count, hooks, state = MOMENTS[moment]
    first = repository.git("rev-parse", "main")
    words = [str(repository.top), command, str(count), hooks]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], check=False, cwd=Path(__file__).parents[4])
    assert done.returncode == -signal.SIGKILL
    assert repository.git("rev-parse", "main") == first
    repository.git("restore", "--staged", "--worktree", ".")
    assert repository.git("status", "--porcelain") == ""
    is_new = repository.git("rev-parse", "HEAD") != first
    assert is_new is (state == "new")
    assert ("torch_npu" in (repository.top / "train.py").read_text()) is is_new
    assert (repository.top / "MIGRATION.md").exists() is (repository.top / "env.sh").exists() is is_new
    assert is_new or (repository.top / "train.py").read_text() == FILES["train.py"]
    assert is_new or repository.migrate().commits
