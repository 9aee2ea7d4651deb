"""Projects of others with scripts that train: pinned archives of sources, and what they import beside torch.

Both come from the package index when a test asks, once, and are not installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.realworld.packages import CACHE
from tools.archives import unpack


class Project(NamedTuple):
    """A project on PyPI.

    Attributes:
        parts: what of the archive is migrated, and where to: a package and its scripts.
    """

    name: str
    version: str
    parts: tuple[tuple[str, str], ...]

    @property
    def folder(self) -> str:
        """What the archive's folder is named."""
        return f"{self.name}-{self.version}"


COMPANIONS = (
    "linear_operator==0.6.1",
    "jaxtyping==0.3.7",
    "wadler_lindig==0.1.7",
    "scipy>=1.13",
    "mpmath==1.3.0",
    "loguru==0.7.3",
    "tqdm==4.67.1",
)


def sources_of(project: Project) -> Path:
    """The unpacked archive. Without a network the test is skipped, but in CI, where it fails."""
    target = CACHE / "archives" / project.folder
    if not target.is_dir():
        partial = target.with_name(f"{target.name}.partial{os.getpid()}")
        requirement = f"{project.name}=={project.version}"
        _pip("download", "--no-binary=:all:", "--dest", str(partial), requirement)
        with tarfile.open(next(partial.glob("*.tar.gz"))) as archive:
            unpack(archive, partial)
        _put(partial / project.folder, target)
        shutil.rmtree(partial)
    return target


def companions() -> Path:
    """A folder for the path of Python with what the projects import."""
    target = CACHE / "companions"
    if not target.is_dir():
        partial = target.with_name(f"{target.name}.partial{os.getpid()}")
        _pip("install", "--target", str(partial), *COMPANIONS)
        _put(partial, target)
    return target


def copy_parts(project: Project, target: Path) -> None:
    """Lay out what is migrated of a project."""
    for source, place in project.parts:
        path = sources_of(project) / source
        if path.is_dir():
            shutil.copytree(path, target / place, ignore=shutil.ignore_patterns("*.cu", "*.cuh"))
        else:
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / place)


def _put(made: Path, target: Path) -> None:
    """Move what was made to its place, unless another test process was first."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        made.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", arguments[0], "--quiet", "--no-deps", *arguments[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = f"pip {arguments[0]} fails: {done.stderr.strip()[-300:]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
