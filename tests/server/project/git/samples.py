"""Repositories made by git, with no settings but their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from gpu2ascend.project.git.running import git_program

HAS_GIT = git_program() is not None


def git(directory: Path, *arguments: str) -> str:
    """Run git as its user does, in a home without settings."""
    program = git_program()
    assert program is not None
    names = {"GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@x", "GIT_COMMITTER_NAME": "n"}
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        **names,
        "GIT_COMMITTER_EMAIL": "n@x",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_EDITOR": "true",
    }
    done = subprocess.run(
        [program, "-C", str(directory), *arguments], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(directory: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit(directory: Path, files: dict[str, str | bytes], message: str = "change") -> None:
    write(directory, files)
    git(directory, "add", "-A")
    git(directory, "commit", "-qm", message)


def repository(directory: Path, files: dict[str, str | bytes]) -> Path:
    """A repository with one commit on the branch ``main``."""
    directory.mkdir(parents=True)
    git(directory, "init", "-q")
    git(directory, "symbolic-ref", "HEAD", "refs/heads/main")
    commit(directory, files, "first")
    return directory
