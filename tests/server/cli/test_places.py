"""Places on the command line that the system does not let us look at: one line, never a report of a bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Run, make_project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names and permissions of POSIX")
LONG = "x" * 300


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A project in which nothing can be looked up."""
    root = make_project(tmp_path / "closed", {"pyproject.toml": "[tool.gpu2ascend]\n", "a.py": "x = 1\n"})
    root.chmod(0)
    if os.access(root, os.X_OK):
        root.chmod(0o700)
        pytest.skip("permissions do not bind this user")
    yield root
    root.chmod(0o700)


def refusal(run: Run, *arguments: str | Path) -> str:
    """Why a command refuses; that it does so in one line is asserted."""
    ran = run(*arguments, "-v", "2.8.0")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "internal error" not in ran.err
    return ran.err


@pytest.mark.parametrize("command", [("check",), ("migrate", "-o", "out", "-i")])
class TestInput:
    def test_links_in_a_circle(self, run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
        (tmp_path / "loop").symlink_to("loop")
        assert "cannot read loop: " in refusal(run, *command, "loop")

    def test_a_name_that_is_too_long(self, run: Run, command: tuple[str, ...]) -> None:
        assert "File name too long" in refusal(run, *command, LONG)

    def test_a_directory_that_may_not_be_searched(
        self, run: Run, closed: Path, command: tuple[str, ...]
    ) -> None:
        assert "Permission denied" in refusal(run, *command, closed)

    def test_below_one(self, run: Run, closed: Path, command: tuple[str, ...]) -> None:
        assert "Permission denied" in refusal(run, *command, closed / "a.py")

    def test_in_a_directory_that_was_removed(
        self, run: Run, tmp_path: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        assert ". does not exist" in refusal(run, *command, ".")


class TestOutput:
    @pytest.mark.parametrize("name", [LONG, f"{LONG[:200]}/" * 30], ids=["long name", "long path"])
    def test_that_is_too_long(self, run: Run, project: Path, tmp_path: Path, name: str) -> None:
        before = sorted(tmp_path.iterdir())
        assert "File name too long" in refusal(run, "migrate", "-i", project, "-o", name)
        assert sorted(tmp_path.iterdir()) == before

    def test_links_in_a_circle(self, run: Run, project: Path, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        assert "cannot write to loop/x: " in refusal(run, "migrate", "-i", project, "-o", "loop/x")


@pytest.mark.parametrize("command", ["check", "analyze", "handover"])
def test_a_path_that_is_not_there_is_all_that_is_said(run: Run, command: str) -> None:
    Path("requirements.txt").write_text("torch>=2.1\n", encoding="utf-8")  # of which a notice could be given
    done = run(command, "nowhere")
    assert (done.code, done.err) == (2, "gpu2ascend: error: nowhere does not exist\n")
