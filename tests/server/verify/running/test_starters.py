"""A launch script that sets PYTHONPATH starts a Python in which what takes part still takes part."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.verify.running.starters import FOLDER, put_starters

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs of Windows are no scripts")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter's folder, with a script of its and a program."""
    (tmp_path / "its programs").mkdir()
    for name, head in (("launch", "#!/usr/bin/env python\n"), ("program", "#!/bin/sh\n")):
        (tmp_path / "its programs" / name).write_text(f"{head}import os\nprint(os.environ['PYTHONPATH'])\n")
        (tmp_path / "its programs" / name).chmod(0o755)
    python = tmp_path / "its programs" / "python"
    python.symlink_to(sys.executable)
    return python


@pytest.mark.parametrize("command", ["python -c 'import os; print(os.environ[\"PYTHONPATH\"])'", "launch"])
@pytest.mark.parametrize(
    ("given", "seen"),
    [("PYTHONPATH=src", "{folder}:src"), ("", "{folder}:other"), ("env -u PYTHONPATH", "{folder}")],
)
def test_the_folder_is_on_the_path_of_python(
    tmp_path: Path, python: Path, command: str, given: str, seen: str
) -> None:
    folder = tmp_path / "what takes part"
    folder.mkdir()
    put_starters(folder, python, {})
    environment = {"PATH": f"{folder / FOLDER}:{os.environ['PATH']}", "PYTHONPATH": f"{folder}:other"}
    done = subprocess.run(
        ["bash", "-c", f"{given} {command}"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == seen.format(folder=folder)


def test_other_programs_are_left_alone(tmp_path: Path, python: Path) -> None:
    put_starters(tmp_path, python, {})
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} == {"python", "launch"}


def test_a_program_that_the_project_declares_is_one_of_the_shell(tmp_path: Path, python: Path) -> None:
    put_starters(tmp_path, python, {"build-it": "import sys; print(sys.argv[1:])"})
    environment = {"PATH": f"{tmp_path / FOLDER}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", "build-it 'a b'"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['a b']"
