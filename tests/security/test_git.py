"""git is asked without anything running that a repository names, whatever its settings and attributes say."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.project.git.running import git_program, run_git
from gpu2ascend.project.git.touched import touched_since
from tests.server.project.git.samples import HAS_GIT, git, repository, write

pytestmark = [
    pytest.mark.skipif(not HAS_GIT, reason="git is not installed"),
    pytest.mark.skipif(os.name == "nt", reason="the traps are scripts of a shell"),
]
CODE = "import torch\nx = torch.ones(2).cuda()\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that notes that it ran."""
    path = tmp_path / "trap"
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path / "ran"}\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def hostile(tmp_path: Path, trap: Path) -> Path:
    """A repository whose settings, attributes and hooks name the program wherever git may start one."""
    top = repository(tmp_path / "project", {"a.py": CODE, ".gitattributes": "*.py filter=x diff=x merge=x\n"})
    for name in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor"):
        (top / ".git" / "hooks").mkdir(exist_ok=True)
        (top / ".git" / "hooks" / name).symlink_to(trap)
    section = f"""
[core]
    fsmonitor = {trap}
    pager = {trap}
    editor = {trap}
    sshCommand = {trap}
    gitProxy = {trap}
    askPass = {trap}
    alternateRefsCommand = {trap}
[diff]
    external = {trap}
[diff "x"]
    command = {trap}
    textconv = {trap}
[filter "x"]
    clean = {trap}
    smudge = {trap}
    process = {trap}
    required = true
[merge "x"]
    driver = {trap}
[pager]
    rev-parse = {trap}
    cat-file = {trap}
    ls-tree = {trap}
[alias]
    rev-parse = !{trap}
[credential]
    helper = !{trap}
[remote "origin"]
    url = {top}
    uploadpack = {trap}
    promisor = true
[extensions]
    partialClone = origin
"""
    with (top / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(section)
    return top


def ran(tmp_path: Path) -> str:
    path = tmp_path / "ran"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def run_as_user(top: Path, *arguments: str) -> None:
    program = git_program()
    assert program is not None
    words = [program, "-C", str(top), *arguments]
    subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def test_nothing_that_a_repository_names_runs(
    hostile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(hostile, {"a.py": CODE + "y = x.cuda()\n", "new.py": CODE})
    assert main(["check", str(hostile), "--since", "HEAD", "-v", "2.8.0"]) == 1
    assert "new.py:2" in capsys.readouterr().out
    assert ran(tmp_path) == ""


def test_an_object_that_is_missing_is_not_fetched(hostile: Path, tmp_path: Path) -> None:
    blob = git(hostile, "rev-parse", "HEAD:a.py").strip()
    (tmp_path / "ran").unlink(missing_ok=True)
    (hostile / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert touched_since("HEAD", [hostile], [str(hostile / "a.py")], 1000)[str(hostile / "a.py")].is_changed
    assert ran(tmp_path) == ""
    run_as_user(hostile, "cat-file", "blob", blob)
    assert "trap" in ran(tmp_path)


def test_what_would_run_is_seen(hostile: Path, tmp_path: Path) -> None:
    """As git is run by its user: otherwise the traps were none."""
    write(hostile, {"a.py": CODE + "y = x.cuda()\n"})
    run_as_user(hostile, "status")
    assert "trap" in ran(tmp_path)


def test_neither_path_nor_variables_lead_to_another_git_or_repository(
    hostile: Path, tmp_path: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(trap)
    other = repository(tmp_path / "other", {"b.py": CODE})
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    monkeypatch.setenv("GIT_EXEC_PATH", str(tmp_path / "bin"))
    assert run_git(hostile, "rev-parse", "--show-toplevel").line == str(hostile.resolve())
    assert ran(tmp_path) == ""
