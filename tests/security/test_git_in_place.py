"""git is started by ``migrate --in-place`` alone, and nothing that a repository names runs with it."""

from __future__ import annotations

import ast
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import gpu2ascend
from gpu2ascend.project.errors import ProjectError
from gpu2ascend.project.git import running as git_module
from tests.server.project.in_place.conftest import Repository, repository

__all__ = ["repository"]

SETTINGS = {
    "a monitor of the file system": ("core.fsmonitor", "{trap}"),
    "hooks elsewhere": ("core.hooksPath", "{folder}"),
    "a pager": ("core.pager", "{trap}"),
    "an editor": ("core.editor", "{trap}"),
    "a program that signs": ("gpg.program", "{trap}"),
    "an external difference": ("diff.external", "{trap}"),
    "a textconv": ("diff.trap.textconv", "{trap}"),
    "a filter": ("filter.trap.clean", "{trap}"),
    "a filter process": ("filter.trap.process", "{trap}"),
    "a filter on the way out": ("filter.trap.smudge", "{trap}"),
    "a merge driver": ("merge.trap.driver", "{trap}"),
    "ssh": ("core.sshCommand", "{trap}"),
    "credentials": ("credential.helper", "{trap}"),
}
NAMED = (
    "pre-commit",
    "commit-msg",
    "prepare-commit-msg",
    "post-commit",
    "reference-transaction",
    "post-index-change",
)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace, under the names of hooks, too."""
    folder = tmp_path / "traps"
    folder.mkdir()
    for name in ("trap", *NAMED):
        path = folder / name
        path.write_text(f"#!/bin/sh\necho {name} >> '{tmp_path}/trace'\ncat\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder / "trap"


def set_traps(repository: Repository, trap: Path) -> None:
    """Have a repository name the program wherever git could run one."""
    repository.commit(
        {".gitattributes": "README filter=trap diff=trap merge=trap\n*.py diff=trap merge=trap\n"}
    )
    for name, value in SETTINGS.values():
        repository.git("config", name, value.format(trap=trap, folder=trap.parent))
    repository.git("config", "commit.gpgSign", "true")
    for name in NAMED:
        hook = repository.top / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes((trap.parent / name).read_bytes())
        hook.chmod(0o755)
    (repository.top.parent / "trace").unlink(missing_ok=True)


def test_nothing_that_a_repository_names_runs(repository: Repository, trap: Path, tmp_path: Path) -> None:
    set_traps(repository, trap)
    os.utime(repository.top / "README", (0, 0))  # so that git would look at the content
    assert repository.migrate().commits
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("command", [("status",), ("commit", "--allow-empty", "-m", "x")])
def test_the_traps_are_set(
    repository: Repository, trap: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    set_traps(repository, trap)
    os.utime(repository.top / "README", (0, 0))
    with suppress(AssertionError):  # the program that signs makes no signature
        repository.git(*command)
    assert (tmp_path / "trace").exists()


def test_a_git_on_the_path_is_not_asked(
    repository: Repository, trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (trap.parent / "git").write_bytes(trap.read_bytes())
    (trap.parent / "git").chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(trap.parent))
        assert repository.migrate().commits
    assert not (tmp_path / "trace").exists()


VARIABLES = {
    "GIT_DIR": "/nowhere",
    "GIT_WORK_TREE": "/nowhere",
    "GIT_INDEX_FILE": "/nowhere",
    "GIT_EXTERNAL_DIFF": "/nowhere",
    "GIT_SSH_COMMAND": "/nowhere",
    "GIT_CONFIG_COUNT": "1",
    "GIT_EXEC_PATH": "/nowhere",
    "LD_PRELOAD": "/nowhere/x.so",
}


def test_no_variable_names_a_repository_or_a_program(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    assert not VARIABLES.keys() & git_module._environment({}).keys()
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Another Person")
    assert git_module._environment({})["GIT_AUTHOR_NAME"] == "Another Person"


def test_git_is_named_by_absolute_paths() -> None:
    assert git_module._PLACES and all(path.startswith(("/", "C:/")) for path in git_module._PLACES)


def test_no_other_module_starts_git() -> None:
    top = Path(gpu2ascend.__file__).parent
    starting = set()
    for path in top.joinpath("project").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import) and any(name.name == "subprocess" for name in node.names):
                starting.add(path.relative_to(top).as_posix())
    assert starting == {"project/git/running.py", "project/processes/spawn.py"}


def test_only_files_that_are_edited_change(repository: Repository) -> None:
    repository.commit({"data.bin": b"\0\1", "notes.txt": "mine\n"})
    before = {path: path.stat().st_mtime_ns for path in repository.top.glob("*") if path.is_file()}
    repository.migrate()
    changed = {path.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert changed == {"train.py"}


REFUSALS: dict[str, Callable[[Repository], object]] = {
    "a dirty work tree": lambda repository: (repository.top / "README").write_text("mine\n"),
    "a file behind a filter": lambda repository: repository.commit({".gitattributes": "*.py filter=x\n"}),
    "a rebase": lambda repository: (repository.top / ".git/rebase-merge").mkdir(),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refusal_changes_nothing(repository: Repository, what: str) -> None:
    REFUSALS[what](repository)
    before = repository.state()
    with pytest.raises(ProjectError):
        repository.migrate()
    assert repository.state() == before
