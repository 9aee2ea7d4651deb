"""Which settings count for what is named on the command line, in a project without a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import TRAIN, Run, make_project

FILES = {"p/pyproject.toml": '[tool.gpu2ascend]\nversion = "2.8.0"\nignore = ["NPU1"]\n', "p/src/a.py": TRAIN}


@pytest.mark.parametrize("path", [".", "src", "src/a.py"])
def test_those_of_the_current_directory_count_for_what_is_below(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    make_project(tmp_path, FILES)
    monkeypatch.chdir(tmp_path / "p")
    done = run("check", path)
    assert (done.code, done.err) == (0, "") and done.out.startswith("No problems found.")


def test_those_above_are_named_and_do_not_count(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path, FILES)
    monkeypatch.chdir(tmp_path / "p/src")
    done = run("check", "a.py", "-v", "2.8.0")
    assert done.code == 1 and f"{tmp_path / 'p/pyproject.toml'} do not count" in done.err
    assert "do not count" not in run("check", "a.py", "-v", "2.8.0", "--no-project-settings").err


def test_other_tables_above_are_nobodys_concern(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path, {**FILES, "p/pyproject.toml": "[tool.ruff]\n"})
    monkeypatch.chdir(tmp_path / "p/src")
    assert run("check", "a.py", "-v", "2.8.0").err == ""
