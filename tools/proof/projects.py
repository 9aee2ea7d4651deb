"""The projects of the proof: pinned source distributions, downloaded by pip and unpacked once."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

from tools.archives import unpack

CACHE = Path(os.environ.get("GPU2ASCEND_PROOF_CACHE", Path(__file__).parents[2] / ".cache" / "proof"))
_TABLE = Path(__file__).with_name("projects.tsv")


class Project(NamedTuple):
    """A source distribution on PyPI."""

    name: str
    version: str
    field: str
    chinese_field: str

    @property
    def title(self) -> str:
        """Name and version, as the folder of the sources is called."""
        return f"{self.name}-{self.version}"


class MissingProjectError(Exception):
    """A source distribution could not be had."""


def projects() -> tuple[Project, ...]:
    """All projects of the table."""
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        return tuple(Project(**row) for row in csv.DictReader(stream, delimiter="\t"))


def unpacked(project: Project) -> Path:
    """The folder of a project's sources.
    Raises MissingProjectError: pip cannot download it, or the archive is not of one folder."""
    target = CACHE / project.title
    if not target.is_dir():
        archives = CACHE / "archives" / project.title
        archives.mkdir(parents=True, exist_ok=True)
        _download(project, archives)
        _unpack(project, next(archives.glob("*.tar.gz")), target)
    return target


def _download(project: Project, folder: Path) -> None:
    if any(folder.glob("*.tar.gz")):
        return
    requirement = f"{project.name}=={project.version}"
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"),
        *("--no-binary", project.name, "--dest", str(folder), requirement),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not any(folder.glob("*.tar.gz")):
        raise MissingProjectError(f"cannot download {requirement}: {done.stderr.strip()[-300:]}")


def _unpack(project: Project, archive: Path, target: Path) -> None:
    partial = target.with_suffix(f".partial{os.getpid()}")
    with tarfile.open(archive) as opened:
        unpack(opened, partial)
    folders = [path for path in partial.iterdir() if path.is_dir()]
    if len(folders) != 1:
        raise MissingProjectError(f"{archive.name} has not one folder: {project.title}")
    folders[0].rename(target)
    partial.rmdir()


def checked_out(repository: str, commit: str) -> Path:
    """The folder that holds a repository at a commit. Raises MissingProjectError: git cannot fetch it."""
    target = CACHE / "repositories" / f"{repository.replace('/', '-')}-{commit[:12]}"
    if not target.is_dir():
        partial = target.with_name(f"{target.name}.partial")
        partial.mkdir(parents=True, exist_ok=True)
        _git(partial, "init", "--quiet")
        _git(partial, "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository}", commit)
        _git(partial, "checkout", "--quiet", "FETCH_HEAD")
        partial.rename(target)
    return target


def _git(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingProjectError(f"git {arguments[0]}: {done.stderr.strip()[-300:]}")
