"""``make test`` on a bare machine: what is missing is listed first, and nothing stays half made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("make") is None, reason="no POSIX shell, or no make"
)


def program(directory: Path, name: str, text: str = "exit 0") -> None:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def needs(path: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(ROOT / "tools" / "needs.sh"), *words],
        env={"PATH": str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A directory with every program."""
    place = tmp_path / "bin"
    for name in ("python3", "git", "patch", "g++", "shellcheck", "npm", "nvim", "emacs"):
        program(place, name)
    program(place, "node", "echo 20")
    return place


def test_a_whole_machine_lacks_nothing(whole: Path) -> None:
    done = needs(whole)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_bare_machine_gets_one_list_and_one_command(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = needs(tmp_path / "empty")
    assert done.returncode == 1
    *_, command = done.stderr.splitlines()
    assert "apt-get install" in command
    assert {"python3", "python3-venv", "npm", "git"} <= set(command.split())


@pytest.mark.parametrize(("everything", "code"), [({}, 0), ({"GPU2ASCEND_REQUIRE_ALL": "1"}, 1)])
def test_without_npm_the_rest_runs_unless_all_is_asked_for(
    whole: Path, everything: dict[str, str], code: int
) -> None:
    (whole / "npm").unlink()
    done = needs(whole, **everything)
    assert done.returncode == code
    assert "npm: the VS Code extension" in done.stderr and "python3" not in done.stderr


@pytest.mark.parametrize(("everything", "code"), [({}, 0), ({"GPU2ASCEND_REQUIRE_ALL": "1"}, 1)])
def test_an_old_node_is_said_and_no_package_of_debian_is_named_for_it(
    whole: Path, everything: dict[str, str], code: int
) -> None:
    program(whole, "node", "echo 18")
    done = needs(whole, **everything)
    assert done.returncode == code
    assert "Node.js 20 or newer, from https://nodejs.org" in done.stderr and "apt-get" not in done.stderr


@pytest.mark.parametrize(("version", "is_offered"), [("18.20.4+dfsg-1", False), ("2:20.19.2-1", True)])
def test_a_package_that_would_be_too_old_is_not_offered(whole: Path, version: str, is_offered: bool) -> None:
    (whole / "npm").unlink()
    program(whole, "apt-cache", f"echo 'Version: {version}'")
    for tool in ("sed", "head"):
        (whole / tool).symlink_to(str(shutil.which(tool)))
    done = needs(whole)
    assert ("apt-get" in done.stderr) == is_offered
    assert ("from https://nodejs.org" in done.stderr) != is_offered


@pytest.mark.parametrize(("node", "code"), [("echo 18", 1), ("echo 20", 0), ("echo 22", 0), ("exit 1", 1)])
def test_the_extension_is_tested_where_node_is_new_enough(whole: Path, node: str, code: int) -> None:
    program(whole, "node", node)
    done = needs(whole, "extension")
    assert (done.returncode, done.stdout + done.stderr) == (code, "")


def test_python_without_venv_is_said_to_be_needed(whole: Path) -> None:
    program(whole, "python3", 'case "$*" in *ensurepip*) exit 1;; esac')
    done = needs(whole)
    assert done.returncode == 1 and "python3-venv: everything" in done.stderr


def make(target: str, *variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "-C", str(ROOT), *variables, target], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("existed", [False, True])
def test_an_environment_that_cannot_be_made_is_removed_if_it_was_not_there(
    tmp_path: Path, existed: bool
) -> None:
    venv = tmp_path / "venv"
    program(tmp_path, "python", f'[ "$1" != -m ] || {{ mkdir -p "{venv}/lib"; exit 1; }}')
    if existed:
        (venv / "mine").mkdir(parents=True)
    done = make(f"{venv}/bin/python", f"VENV={venv}", f"PYTHON={tmp_path / 'python'}")
    assert done.returncode != 0
    assert venv.exists() == existed


OLD = "exit 1"
"""An interpreter that is asked for its version, and is too old."""
NEW = 'case "$*" in *pip*) echo "$SAID" >&2; exit 1;; esac'


def environment(path: Path, *words: str, **variables: str) -> tuple[int, str]:
    """What the script says, where only the programs of a directory and the shell's tools are there."""
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "tools" / "environment.sh"), *words],
        env={"PATH": f"{path}:/usr/bin:/bin", "GOAL": "demo", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_an_old_python_leads_to_the_one_beside_it(tmp_path: Path) -> None:
    program(tmp_path, "python3", OLD)
    program(tmp_path, "python3.13", NEW)
    code, said = environment(tmp_path, "make", str(tmp_path / "venv"))
    assert (code, said.count("\n")) == (1, 1) and not (tmp_path / "venv").exists()
    assert said.endswith(": make demo PYTHON=python3.1" + ("4\n" if shutil.which("python3.14") else "3\n"))


def test_a_checkout_that_cannot_be_written_leads_to_another_place(tmp_path: Path) -> None:
    program(tmp_path, "python3", NEW)
    (tmp_path / "file").touch()
    code, said = environment(tmp_path, "make", str(tmp_path / "file" / "venv"))
    assert (code, said.count("\n")) == (1, 1)
    assert 'make demo VENV="$HOME/' in said and "DEMO_OUTPUT=" in said


@pytest.mark.parametrize(
    ("printed", "answer"),
    [
        ("ERROR: No matching distribution found for hatchling>=1.26", "gave hatchling>=1.26"),
        ("WARNING: Retrying after 'NewConnectionError('", "gave what is needed"),
    ],
)
def test_without_an_index_one_sentence_says_how_to_name_one(
    tmp_path: Path, printed: str, answer: str
) -> None:
    program(tmp_path / "venv" / "bin", "python", NEW)
    code, said = environment(tmp_path, "install", str(tmp_path / "venv"), "-e", ".", SAID=printed)
    first, *errors = said.splitlines()
    assert (code, len(errors)) == (1, 1) and first.endswith(": -e .")
    assert answer in errors[0] and errors[0].endswith(": PIP_INDEX_URL=https://HOST/simple make demo")


def test_what_else_pip_says_is_shown(tmp_path: Path) -> None:
    program(tmp_path / "venv" / "bin", "python", NEW)
    code, said = environment(tmp_path, "install", str(tmp_path / "venv"), "x", SAID="No space left on device")
    assert code == 1 and "\nNo space left on device\n" in said and "pip could not install x" in said
    program(tmp_path / "venv" / "bin", "python")
    assert environment(tmp_path, "install", str(tmp_path / "venv"), "x")[0] == 0


def test_make_test_asks_for_it_before_anything_else() -> None:
    own = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    commands = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--always-make", "test"],
        cwd=ROOT, capture_output=True, text=True, check=True, env=own,
    ).stdout  # fmt: skip
    assert "tools/needs.sh" in commands.splitlines()[0]
