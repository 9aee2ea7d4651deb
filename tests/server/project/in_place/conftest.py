"""A git repository with a project in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.git.running import _PLACES
from gpu2ascend.project.in_place.in_place import Branch, InPlace, migrate_in_place
from gpu2ascend.project.report.result import MigrationRequest
from tests.server.project.samples import OPTIONS, Files, make_tree

TRAIN = """\
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(2).cuda()
torch.cuda.empty_cache()
torch.cuda.comm.broadcast(x, [0, 1])
"""
FILES: Files = {
    "train.py": TRAIN,
    "lib/more.py": "import torch\n\ntorch.cuda.synchronize()\n",
    "README": "x\n",
}


@attrs.frozen
class Repository:
    """A repository."""

    top: Path

    def git(self, *arguments: str) -> str:
        """What git prints."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *arguments], cwd=self.top, env=variables, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip("\n")

    def commit(self, files: Files) -> str:
        """Commit files; gives the number of the commit."""
        make_tree(self.top, files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "work")
        return self.git("rev-parse", "HEAD")

    def migrate(self, *, at: str = ".", options: object = OPTIONS, **how: object) -> Branch:
        """Migrate it in its place."""
        request = MigrationRequest(input=self.top / at, output=Path(), options=options, jobs=1)  # type: ignore[arg-type]
        return migrate_in_place(request, InPlace(**how))[1]  # type: ignore[arg-type]

    def subjects(self, span: str) -> list[str]:
        """The first lines of messages, the oldest first."""
        return self.git("log", "--reverse", "--format=%s", span).splitlines()

    def state(self) -> tuple[str, ...]:
        """All that a refusal must leave as it is."""
        names = sorted(path for path in self.top.rglob("*") if path.is_file() and ".git" not in path.parts)
        files = "".join(f"{path}{path.read_bytes()!r}" for path in names)
        return (
            self.git("rev-parse", "HEAD"),
            self.git("for-each-ref"),
            self.git("ls-files", "--stage"),
            (self.top / ".git/HEAD").read_text() if (self.top / ".git").is_dir() else "",
            files,
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with one commit."""
    if not any(Path(place).is_file() for place in _PLACES):
        pytest.skip("git is not installed in a usual place")
    made = Repository(tmp_path / "proj")
    made.top.mkdir()
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "A Person")
    made.git("config", "user.email", "person@example.org")
    made.git("config", "core.autocrlf", "false")
    made.commit(FILES)
    return made
