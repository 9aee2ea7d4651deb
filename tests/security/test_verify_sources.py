"""A project's list cannot give pip an option, or code to build: checked with the real pip."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.verify.environment.private import private_environment
from gpu2ascend.verify.environment.requirements import Wanted, wanted_packages

pytestmark = pytest.mark.slow

NOWHERE = "http://127.0.0.1:9/simple"


@pytest.fixture
def short() -> Iterator[Path]:
    """A project whose path has no sign that the names of packages are written without."""
    folder = Path(tempfile.gettempdir()) / f"project{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def evil(short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose build leaves a file beside it; pip has no network."""
    monkeypatch.setenv(
        "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", str(tmp_path / "cache")
    )
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    package = short / "evil"
    package.mkdir()
    (package / "backend.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    (package / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "evil"\nversion = "1"\n'
    )
    return package


def install(wanted: Wanted) -> None:
    """Have pip try; without torch it fails in the end."""
    without_torch = wanted._replace(specifiers=wanted.specifiers[2:] or ("nothing",))
    with pytest.raises(InputError):
        private_environment(without_torch, None, NOWHERE, lambda message: None)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Pipfile", '[packages]\n"-e{}" = "*"\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\n"-e{}" = "*"\n'),
        ("requirements.txt", "-e {}\n"),
    ],
)
def test_no_entry_is_an_option_or_a_path(evil: Path, tmp_path: Path, name: str, text: str) -> None:
    (evil.parent / name).write_text(text.replace("{}", str(evil)))
    install(wanted_packages(evil.parent))
    assert not (tmp_path / "ran").exists()


def test_the_user_may_allow_a_path(evil: Path, tmp_path: Path) -> None:
    (evil.parent / "requirements.txt").write_text("./evil\n")
    install(wanted_packages(evil.parent, allows_sources=True))
    assert (tmp_path / "ran").exists()
