"""pip and interpreters run apart from the project: in our directory, without variables of Python's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend.project.errors import CancelledError
from gpu2ascend.verify.running.programs import Done, Hearing, run_to_end
from tests.server.verify.alive import ends


def test_neither_the_current_directory_nor_variables_reach_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SOME_PROXY", "kept")
    (tmp_path / "json.py").write_text("raise SystemExit('code of the project')")
    question = "import json, os; print('PYTHONPATH' in os.environ, os.environ.get('SOME_PROXY'), os.getcwd())"
    done = run_to_end([sys.executable, "-c", question], seconds=60)
    assert done.code == 0 and done.text.startswith("False kept ") and str(tmp_path) not in done.text


@pytest.mark.slow
def test_what_hangs_is_ended() -> None:
    command = [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(600)"]
    assert run_to_end(command, seconds=5) == Done(None, "begun\n")


@pytest.mark.skipif(sys.platform == "win32", reason="the test asks for processes as POSIX does")
def test_each_line_is_heard_while_it_runs_and_a_cancel_ends_it_with_what_it_has_started(
    tmp_path: Path,
) -> None:
    below = "import os, sys, time; print('below', os.getpid(), flush=True); time.sleep(600)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {below!r}])"
    heard: list[str] = []
    with pytest.raises(CancelledError):
        run_to_end(
            [sys.executable, "-c", program], seconds=600, hearing=Hearing(heard.append, lambda: bool(heard))
        )
    assert heard[0].startswith("below ")
    assert ends(int(heard[0].split()[1]))


def test_what_is_not_there_has_no_code() -> None:
    assert run_to_end(["/no/such/program"], seconds=5).code is None


def test_errors_are_quoted_before_the_end_of_the_output() -> None:
    assert Done(1, "a\nERROR: b\nc\n").said == "ERROR: b"
    assert Done(1, "a\n\nb\n").said == "a b"
