"""Programs of the system are named by their absolute path, get no shell and no input, and are given up."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gpu2ascend.doctor import tools

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="NPUs are used on Linux")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for npu-smi."""
    path = tmp_path / "npu-smi"
    monkeypatch.setattr(tools, "_PLACES", {"npu-smi": (str(tmp_path / "missing"), str(path))})
    return path


def made(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_what_it_prints_comes_back_with_its_code(program: Path) -> None:
    made(program, 'echo "$1"; echo bad >&2; cat; pwd; exit 3')
    assert tools.ask("npu-smi", "$(id)") == tools.Answer(3, "$(id)\nbad\n/\n")


def test_one_that_hangs_is_given_up(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "SECONDS", 0.2)
    made(program, "exec sleep 60")
    assert tools.ask("npu-smi") == tools.Answer(None, "")


def test_one_that_is_missing_or_cannot_be_started_has_no_answer(program: Path) -> None:
    assert tools.ask("npu-smi") is None
    program.write_bytes(b"\0")
    assert tools.ask("npu-smi") is None


def test_the_path_and_the_current_directory_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "npu-smi", "echo hostile")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert tools.place_of("npu-smi") != str(tmp_path / "npu-smi")
    assert all(place.startswith("/") for places in tools._PLACES.values() for place in places)
