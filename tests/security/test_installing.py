"""Where a reader, a pull request or a container runs commands of ours in a project, nothing of it runs.

``python -m`` searches the current directory first, before Python's own modules, unless it is isolated.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import every_case
from tests.security.pythons import CURRENT, TOP, Installation
from tests.security.routes import Hostile
from tests.server.project.git.samples import git

ACTION = yaml.safe_load((TOP / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
"""As GitHub runs a step whose shell is bash."""
PYTHON_PATHS = pytest.mark.parametrize("python_path", [None, "."], ids=["no PYTHONPATH", "PYTHONPATH=."])
ON_THIS_PYTHON = pytest.mark.parametrize("installation", [CURRENT], indirect=True)
TRAPS = (
    "venv",
    "pip",
    "subprocess",
    "sitecustomize",
    "signal",
    "site",
    "gpu2ascend",
    "webbrowser",
    "ensurepip",
)


def environment(python_path: str | None, **more: str) -> dict[str, str]:
    values = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**values, **({} if python_path is None else {"PYTHONPATH": python_path}), **more}


def wheel(folder: Path) -> Path:
    """What pip installs in the place of the action's folder: without a network, and this tree is found."""
    name = "gpu2ascend-0"
    places = [TOP / "rules", TOP / "server", sysconfig.get_path("purelib")]
    files = {
        "gpu2ascend_here.pth": "".join(f"{place}\n" for place in places),
        f"{name}.dist-info/METADATA": "Metadata-Version: 2.1\nName: gpu2ascend\nVersion: 0\n",
        f"{name}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{name}.dist-info/RECORD"])
    path = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{name}.dist-info/RECORD": record}).items():
            archive.writestr(file, text)
    return path


@pytest.fixture
def checkout(hostile: Hostile) -> Hostile:
    """A pull request with a module for every name that Python or pip might import."""
    for name in TRAPS:
        hostile.disarm(name)
        text = f"open({str(hostile.marker)!r}, 'a').write({name!r} + chr(10))\n"
        (hostile.folder / f"{name}.py").write_text(text, encoding="utf-8")
    assert hostile.ran() == []
    return hostile


@pytest.mark.slow
@ON_THIS_PYTHON
def test_the_traps_work(checkout: Hostile) -> None:
    command = [sys.executable, "-m", "venv", "--help"]
    subprocess.run(command, cwd=checkout.folder, env=environment(None), check=False, capture_output=True)
    assert checkout.ran() != []


@pytest.mark.slow
@ON_THIS_PYTHON
@PYTHON_PATHS
def test_the_action_runs_nothing_of_a_pull_request(
    checkout: Hostile, tmp_path: Path, python_path: str | None
) -> None:
    programs, temp = tmp_path / "programs", tmp_path / "temp"
    programs.mkdir()
    temp.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    (programs / "python").chmod(0o755)
    runner = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(temp),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "PIP_NO_INDEX": "1",
    }
    given = {
        "github.action_path": str(wheel(tmp_path)),
        "inputs.paths": "train.py",
        "inputs.version": "2.8.0",
    }
    for step in steps():
        filled = {name: value_of(value, given) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            [*BASH, step["run"]],
            cwd=checkout.folder,
            env=environment(python_path, **runner, **filled),
            check=False,
            capture_output=True,
            text=True,
        )
        assert checkout.ran() == [], step["name"]
        assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((checkout.folder / "gpu2ascend.sarif").read_text(encoding="utf-8"))
    assert found["runs"][0]["results"]


def steps() -> Iterator[dict[str, Any]]:
    """The steps of the action that run commands, without the one that only fails."""
    ours = [step for step in ACTION["runs"]["steps"] if "run" in step and step["run"] != "exit 1"]
    assert [step["name"] for step in ours] == ["Install", "Check"]
    yield from ours


def value_of(text: str, given: dict[str, str]) -> str:
    """The value of a variable of a step: an input, or its default."""
    match = re.fullmatch(r"\$\{\{ ([\w.-]+) \}\}", text)
    assert match is not None, text
    name = match[1]
    if name in given:
        return given[name]
    default: str = ACTION["inputs"][name.removeprefix("inputs.")]["default"]
    return default


def entry_point() -> list[str]:
    """What a container starts; every path in it is one of the image."""
    text = (TOP / "Dockerfile").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ENTRYPOINT (.+)$", text, re.MULTILINE)
    command: list[str] = json.loads(line)
    return command


ENTRIES = {"the image": entry_point(), **{hook["id"]: shlex.split(hook["entry"]) for hook in HOOKS}}


@pytest.mark.slow
@ON_THIS_PYTHON
@PYTHON_PATHS
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_no_hook_and_no_container_runs_anything_of_the_project(
    checkout: Hostile, installation: Installation, entry: list[str], python_path: str | None
) -> None:
    program, *arguments = entry
    assert Path(program).name == "python"
    arguments += [] if "check" in arguments else ["check"]
    git(checkout.folder, "init", "-q")
    git(checkout.folder, "commit", "-q", "--allow-empty", "-m", "first")
    done = subprocess.run(
        [installation.python, *arguments, "-v", "2.8.0", "train.py"],
        cwd=checkout.folder,
        env=environment(python_path),
        check=False,
        capture_output=True,
        text=True,
    )
    assert checkout.ran() == []
    assert "train.py" in done.stdout, done.stderr


DOCUMENTS = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "examples/**/*.md",
        "vscode-extension/*.md",
        "vscode-extension/media/**/*.md",
    )
    for path in TOP.glob(pattern)
)
PRINTED = sorted(
    path
    for pattern in (
        "rules/gpu2ascend_rules/messages/**/*.json",
        "server/gpu2ascend/**/*.py",
        "server/gpu2ascend/**/*.html",
    )
    for path in TOP.glob(pattern)
)
FILES = [
    *DOCUMENTS,
    *PRINTED,
    *(TOP / name for name in ("action.yml", "Dockerfile", ".pre-commit-hooks.yaml")),
]
MODULE = re.compile(
    r"""(?:\bpython[\d.]*|\bpy)["']?(?P<flags>(?:,?\s+["']?-\w+["']?)*?),?\s+["']?-m["']?,?\s+["']?(?P<module>[\w.]+)"""
)
RUNS_THE_PROJECT = re.compile(r"torch\.distributed\.\w+")
"""Launchers: to run the code of the project is what they are for."""
OF_THIS_REPOSITORY = re.compile(r"tools(\.\w+)*")
"""Found in a checkout of ours only, whose code the reader wants to run."""


def unsafe(text: str) -> list[str]:
    """The modules that commands of a text run in whatever directory the reader is in."""
    return [
        match["module"]
        for match in MODULE.finditer(text)
        if not re.search(r"-\w*I", match["flags"])
        and not RUNS_THE_PROJECT.fullmatch(match["module"])
        and not OF_THIS_REPOSITORY.fullmatch(match["module"])
    ]


@pytest.mark.parametrize(
    "text",
    [
        "python -m venv x",
        "`python3.12 -m pip install x`",
        '"python", "-m", "webbrowser"',
        "$ python -q -m gpu2ascend",
    ],
)
def test_a_command_that_is_not_isolated_is_found(text: str) -> None:
    assert len(unsafe(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "python -I -m venv x",
        '"python", "-I", "-m", "pip"',
        "python -qI -m pip",
        "python -m tools.proof",
        "pip install x",
    ],
)
def test_others_are_not(text: str) -> None:
    assert unsafe(text) == []


def test_documents_and_messages_are_looked_at() -> None:
    assert len(DOCUMENTS) > 50 and len(PRINTED) > 200


def test_every_command_for_a_reader_is_isolated() -> None:
    with every_case() as case:
        for path in FILES:
            with case(path.relative_to(TOP)):
                assert unsafe(path.read_text(encoding="utf-8")) == []
