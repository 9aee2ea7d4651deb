"""A hostile project for every Python, made once; each test has a copy of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.security.pythons import VERSIONS, Installation, found_python
from tests.security.routes import Hostile

BUILDER = Path(__file__).parent / "build_hostile.py"
NewProject = Callable[[], Hostile]


@pytest.fixture(scope="session", params=VERSIONS)
def installation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The program on each Python that this machine has with the dependencies."""
    python = found_python(request.param)
    if isinstance(python, str):
        pytest.skip(python)
    return Installation(python, tmp_path_factory.mktemp(f"python{python.version}"))


@pytest.fixture
def hostile(installation: Installation, tmp_path: Path) -> Iterator[Hostile]:
    """A project full of traps, in which the program is about to be started."""
    project = Hostile(tmp_path / "project", tmp_path / "ran")
    command = [installation.python, "-I", BUILDER, project.folder, project.marker]
    subprocess.run(command, check=True)
    assert project.ran() == []
    installation.started()
    yield project
