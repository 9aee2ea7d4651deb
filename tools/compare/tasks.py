"""What both sides examine: programs that differ in one point from an example or a sample, and projects."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.proof.projects import MissingProjectError, projects, unpacked

from .sides import SideError

PACKAGES = (
    *("OpenNMT-py", "asteroid", "dalle2-pytorch", "elegantrl", "imagen_pytorch", "k-diffusion", "nnunetv2"),
    "openai-whisper",
)
"""Projects of the proof that are examined within two minutes, of eight fields."""
TARGETS = ("torch_npu", "accelerator", "mindspore")
_SETTINGS: dict[str, object] = {"version": "2.8.0", "unsafe_fixes": True}


class Task(NamedTuple):
    """Something to examine."""

    name: str
    document: str
    """For a worker, as JSON on one line."""


def near_programs(root: Path, share: float, seed: int, group: str | None) -> list[dict[str, Any]]:
    """A share of the programs that the tests of the working tree make.
    Raises SideError: they cannot be made."""
    if not share:
        return []
    command = [sys.executable, "-m", "tests.rules.near_programs", f"--share={share}", f"--seed={seed}"]
    command += [f"--group={group}"] if group else []
    paths = os.pathsep.join(str(root / name) for name in ("rules", "server", ""))
    done = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SideError(f"cannot make the programs: {done.stderr[-2000:].strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_programs(programs: Iterable[dict[str, Any]], target: str) -> Iterator[Task]:
    """The programs for a target. Those that choose one themselves are examined with the first target only."""
    for program in programs:
        settings = program["settings"]
        if target != TARGETS[0]:
            if "target" in settings or program["migrates"]:
                continue
            settings = {**settings, "target": target}
        name = f"{program['group']} {program['name']}"
        yield Task(_named(name, target), json.dumps({**program, "settings": settings}))


def of_folders(folders: Iterable[Path], target: str) -> Iterator[Task]:
    """Projects for a target."""
    settings = _SETTINGS if target == TARGETS[0] else {**_SETTINGS, "target": target}
    for folder in folders:
        yield Task(_named(folder.name, target), json.dumps({"folder": str(folder), "settings": settings}))


def _named(name: str, target: str) -> str:
    return name if target == TARGETS[0] else f"{name} for {target}"


def packages(names: Iterable[str]) -> tuple[list[Path], list[str]]:
    """The folders of real projects, which pip downloads once, and why some cannot be had."""
    found, problems = [], []
    for project in projects():
        if project.name in names:
            try:
                found.append(unpacked(project))
            except MissingProjectError as error:
                problems.append(str(error))
    return found, problems


def below(folders: Iterable[Path]) -> list[Path]:
    """The folders right below some folders: a project each. Raises SideError: one of them is no folder."""
    for folder in folders:
        if not folder.is_dir():
            raise SideError(f"{folder} is not a folder")
    return [
        item
        for folder in folders
        for item in sorted(folder.resolve().iterdir())
        if item.is_dir() and not item.name.startswith(".")
    ]
