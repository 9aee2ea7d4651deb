"""After a build has failed, packages are built with an older Cython, or left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.environment import private
from gpu2ascend.verify.environment.pip import Problem
from gpu2ascend.verify.environment.requirements import Wanted
from gpu2ascend.verify.running.programs import Done, Hearing


@pytest.mark.parametrize(("kind", "is_old"), [("build", True), ("conflict", False)])
def test_only_a_failed_build_asks_for_an_older_cython(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, is_old: bool
) -> None:
    ends = [Done(1, ""), *[Done(0, "")] * 9]
    monkeypatch.setattr(private, "run_to_end", lambda *_, **__: ends.pop(0))
    monkeypatch.setattr(private, "problem_of", lambda *_: Problem(kind, ("tqdm",), ""))
    monkeypatch.setattr(private, "files_of", lambda _: ())
    wanted = Wanted(("torch==2.13.0", "tqdm==4.0"), (), of_torch=1)
    indexes = private._Indexes(None, None)
    pip = private._Pip(tmp_path / "bin" / "python", tmp_path, wanted, indexes, lambda _: None, Hearing())
    pip.install()
    assert ("cython<3" in (tmp_path / "constraints.txt").read_text().splitlines()) is is_old


def test_what_only_fails_when_it_is_built_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(command: list[str], **_: object) -> Done:
        is_built = "--report" not in command and "pyaudio" in command
        return Done(1, "Failed to build pyaudio") if is_built else Done(0, "")

    monkeypatch.setattr(private, "run_to_end", run)
    monkeypatch.setattr(private, "problem_of", lambda *_: Problem("build", ("pyaudio",), ""))
    monkeypatch.setattr(private, "files_of", lambda _: ())
    wanted = Wanted(("torch==2.13.0", "pyaudio"), (), of_torch=1)
    indexes = private._Indexes(None, None)
    pip = private._Pip(tmp_path / "bin" / "python", tmp_path, wanted, indexes, lambda _: None, Hearing())
    pip.install()
    assert pip.wanted.specifiers == ("torch==2.13.0",)
