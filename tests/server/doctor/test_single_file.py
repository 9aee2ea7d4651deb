"""The doctor as one file: Python 3.10 or newer runs it without packages; it says what the command says."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.doctor import single_file
from tests.schemas import faults

LOG = "step 1\nEI0006: wait for a socket\n"
PYTHONS = sorted({sys.executable, *filter(None, map(shutil.which, ("python3", "python3.10", "python3.13")))})


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("single") / "doctor.pyz"
    path.write_bytes(single_file.doctor_file())
    return path


def run(python: str, file: Path, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Isolated, without any installed package, and with a directory of its own for what is temporary."""
    command = [python, "-I", "-S", str(file), *map(str, arguments)]
    environment = {**os.environ, "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


def document(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("python", PYTHONS)
def test_a_python_without_packages_runs_it(file: Path, tmp_path: Path, python: str) -> None:
    version = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True)
    if tuple(map(int, version.stdout.split())) < (3, 10):
        pytest.skip("too old for it")
    found = document(run(python, file, "--json", folder=tmp_path))
    assert faults("doctor", found) == []
    assert "platform" in {result["check"] for result in found["results"]}
    assert list(tmp_path.iterdir()) == []  # nothing is left behind


def test_it_says_what_the_command_says(file: Path, tmp_path: Path) -> None:
    asked = ("--python", Path(sys.executable), "--json")
    command = [sys.executable, "-I", "-m", "gpu2ascend", "doctor", *map(str, asked)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False).stdout
    assert document(run(sys.executable, file, *asked, folder=tmp_path)) == json.loads(said)


def test_it_explains_a_log_and_names_the_place_in_a_project(file: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text("import torch\ntorch.zeros(1).cuda()\n", encoding="utf-8")
    (tmp_path / "train.log").write_text(
        f'Traceback (most recent call last):\n  File "{project}/train.py", line 2, in <module>\n{LOG}',
        encoding="utf-8",
    )
    found = document(
        run(sys.executable, file, "--log", "train.log", "--project", project, "--json", folder=tmp_path)
    )
    assert faults("doctor-log", found) == [] and found["failures"]


def test_a_mistake_is_one_line(file: Path, tmp_path: Path) -> None:
    done = run(sys.executable, file, "--never", folder=tmp_path)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_an_older_python_reads_enough_to_say_what_it_needs(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        main = archive.read("__main__.py").decode()
    ast.parse(main, feature_version=(3, 4))
    assert main.index("sys.version_info < (3, 10)") < main.index("gpu2ascend.__main__")


def test_it_is_small_and_the_same_each_time(file: Path) -> None:
    content = file.read_bytes()
    assert len(content) < 2_500_000 and single_file.doctor_file() == content
