"""What shells offer after they have read the script of ``completion``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ..conftest import Run

OFFERED = [
    ("gpu2ascend ver", ["verify"]),
    ("gpu2ascend check --stat", ["--statistics"]),
    ("gpu2ascend check --output-format s", ["sarif"]),
    ("gpu2ascend migrate --dis", ["--discard-changes", "--distributed"]),
    ("gpu2ascend completion --lang", ["--language"]),
]


@pytest.mark.parametrize(("line", "offered"), OFFERED)
def test_bash(run: Run, line: str, offered: list[str]) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    words = line.split()
    asked = (
        f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _gpu2ascend; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    script = f"{run('completion', 'bash').out}\n{asked}"
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == offered and done.stderr == ""


def test_bash_offers_files_as_they_are_called(run: Run, tmp_path: Path) -> None:
    (tmp_path / "my train.py").touch()
    bash = shutil.which("bash")
    assert bash is not None
    asked = "COMP_WORDS=(gpu2ascend check my); COMP_CWORD=2; _gpu2ascend; printf '<%s>' \"${COMPREPLY[@]}\""
    script = f"{run('completion', 'bash').out}\n{asked}"
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "<my train.py>"


@pytest.mark.parametrize(("line", "offered"), OFFERED)
def test_fish(run: Run, line: str, offered: list[str]) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("fish is not installed")
    script = f"{run('completion', 'fish').out}\ncomplete -C '{line}'"
    done = subprocess.run([fish, "-N", "-c", script], capture_output=True, text=True, check=True)
    assert sorted(row.split("\t")[0] for row in done.stdout.splitlines()) == offered


def test_zsh_reads_the_script(run: Run) -> None:
    zsh = shutil.which("zsh")
    if zsh is None:
        pytest.skip("zsh is not installed")
    script = f"{run('completion', 'zsh').out}\nprint ${{_comps[gpu2ascend]}}"
    done = subprocess.run([zsh, "-f", "-c", script], capture_output=True, text=True, check=True)
    assert "_gpu2ascend" in done.stdout


def test_another_shell_is_refused_with_those_that_are_known(run: Run) -> None:
    done = run("completion", "powershell")
    assert done.code == 2 and "bash, zsh, fish" in done.err
    assert run("completion").code == 2
