"""The process that asks jedi runs nothing of the project: its path and its hook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project.inference import worker

LOAD = """
import importlib.machinery, importlib.util, runpy, sys
from gpu2ascend.project.inference import worker
worker._forbid_running(sys.argv[1])
{action}
print("ran")
"""
EXTENSION = (
    "loader = importlib.machinery.ExtensionFileLoader('made', sys.argv[2])\n"
    "importlib.util.module_from_spec(importlib.util.spec_from_loader('made', loader))"
)


def test_the_project_and_its_folders_leave_the_path_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "proj"
    installed = root / ".venv" / "lib" / "site-packages"
    beside = tmp_path / "proj_two"
    for folder in (installed, root / "src", beside):
        folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", ["", *map(str, (root, root / "src", installed, beside))])
    worker._leave_project_off_the_path(f"{root}/")
    assert sys.path == [str(installed), str(beside)]


def outcome(action: str, root: Path, file: Path) -> str:
    """What becomes of an action in a process that may not run the code of a project."""
    command = [sys.executable, "-c", LOAD.format(action=action), str(root), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("action", "name"),
    [
        pytest.param("runpy.run_path(sys.argv[2])", "code.py", id="code"),
        pytest.param(EXTENSION, "made.so", id="extension"),
    ],
)
def test_what_lies_in_the_project_is_not_run(action: str, name: str, tmp_path: Path) -> None:
    root = tmp_path / "proj"
    root.mkdir()
    (root / name).write_text("x = 1\n")
    assert outcome(action, root, root / name).startswith("gpu2ascend.project.inference.worker.ForbiddenError")


def test_what_lies_elsewhere_is_run(tmp_path: Path) -> None:
    """Also code of a folder of which the name only begins as the project's."""
    root, other = tmp_path / "proj", tmp_path / "project"
    for folder in (root, other):
        folder.mkdir()
    (other / "code.py").write_text("x = 1\n")
    assert outcome("runpy.run_path(sys.argv[2])", root, other / "code.py") == "ran"
    assert outcome("import colorsys, _bisect", root, root) == "ran"


@pytest.mark.parametrize(
    ("event", "arguments", "expected"),
    [
        pytest.param("exec", (compile("1", "a.py", "eval"),), "a.py", id="code"),
        pytest.param("exec", (), None, id="no code"),
        pytest.param("exec", ("text",), None, id="what has no file"),
        pytest.param("import", ("made", "b.so", None, None, None), "b.so", id="an extension module"),
        pytest.param("import", ("made", None, None, None, None), None, id="a module whose file is not known"),
        pytest.param("import", ("made",), None, id="a name alone"),
        pytest.param("open", ("a.py", "r", 0), None, id="a file that is read"),
        pytest.param("os.listdir", ("a", "b.so"), None, id="another event"),
    ],
)
def test_code_is_what_runs_or_is_loaded(event: str, arguments: tuple[Any, ...], expected: str | None) -> None:
    assert worker._code_file(event, arguments) == expected
