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


def test_make_test_asks_for_it_before_anything_else() -> None:
    own = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    commands = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--always-make", "test"],
        cwd=ROOT, capture_output=True, text=True, check=True, env=own,
    ).stdout  # fmt: skip
    assert "tools/needs.sh" in commands.splitlines()[0]
