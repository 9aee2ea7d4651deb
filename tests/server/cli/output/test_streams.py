"""A command is carried out, and returns its code, whether or not anybody takes its output."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.cli.output.streams import lossy_streams

from ..conftest import STUCK, TRAIN, make_project

posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the descriptors")
COMMANDS = {
    "check": ("check", "{stuck}", "-v", "2.8.0"),
    "json": ("check", "{stuck}", "-v", "2.8.0", "--output-format", "json"),
    "migrate": ("migrate", "-i", "{stuck}", "-o", "{out}", "-v", "2.8.0"),
    "diff": ("migrate", "-i", "{stuck}", "--diff", "-v", "2.8.0"),
    "explain": ("explain", "NPU101"),
    "help": ("migrate", "--help"),
    "version": ("--version",),
}
TO = {
    "closed": '"$@" >&-',
    "both-closed": '"$@" >&- 2>&-',
    "reader-left": 'trap "" PIPE; { "$@"; echo $? >code; } | true; exit "$(cat code)"',
    "full": '"$@" >/dev/full',
}
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run(words: tuple[str, ...], directory: Path, shell: str, **environment: str) -> tuple[int, str]:
    command = [sys.executable, "-I", "-m", "gpu2ascend", *words]
    done = subprocess.run(
        ["/bin/sh", "-c", shell, "sh", *command],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        env={**BUFFERED, **environment},
    )
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize("to", TO)
@pytest.mark.parametrize("name", COMMANDS)
def test_the_code_is_that_of_the_command(tmp_path: Path, name: str, to: str) -> None:
    if to == "full" and not Path("/dev/full").exists():
        pytest.skip("this system has no device that is full")
    stuck = make_project(tmp_path / "stuck", {"a.py": TRAIN, "b.py": STUCK})
    (tmp_path / "out").mkdir()
    words = tuple(word.format(stuck=stuck, out=tmp_path / "out" / to) for word in COMMANDS[name])
    expected, _ = run(words[:4] + ((f"{tmp_path}/out/all", *words[5:]) if name == "migrate" else words[4:]),
                      tmp_path, '"$@"')  # fmt: skip
    code, said = run(words, tmp_path, TO[to])
    assert code == expected
    assert "Traceback" not in said and "internal error" not in said
    assert ("No space left" in said) == (to == "full" and name != "version")
    if name == "migrate":
        assert (tmp_path / "out" / to / "stuck_msft" / "b.py").is_file()


@posix
def test_an_output_without_a_buffer_is_treated_likewise(tmp_path: Path) -> None:
    code, said = run(("explain", "NPU101"), tmp_path, TO["closed"], PYTHONUNBUFFERED="1")
    assert (code, said) == (0, "")


@posix
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_line_is_out_at_once_where_nothing_is_buffered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with PYTHONUNBUFFERED, which most images of containers set."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with io.FileIO(reader) as out, io.FileIO(writer, "w") as raw:
        monkeypatch.setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", write_through=True))  # type: ignore[arg-type]
        with lossy_streams():
            print("begun", file=getattr(sys, name))
            assert out.read() == b"begun\n"
        monkeypatch.undo()


def test_a_program_that_runs_commands_keeps_its_own_streams() -> None:
    calls = "from gpu2ascend.__main__ import main; codes = [main(['explain', 'NPU101']) for _ in range(3)]"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"{calls}; import gc; gc.collect(); print('codes', codes)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "codes [0, 0, 0]"
    assert done.stdout.count("NPU101") % 3 == 0
