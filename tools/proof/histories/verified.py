"""Trains a migrated project by ``verify``, as it is and after its conflicts were resolved."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .trainings import TRAININGS

_SCRIPT = "three_steps_by_proof.py"
_OURS, _THEIRS = "<<<<<<< yours", ">>>>>>> gpu2ascend"


def resolved(output: Path, target: Path) -> Path:
    """A copy of a merged project with the new lines where both sides changed some; ours stay as comments."""
    shutil.copytree(output, target, symlinks=True)
    for place in target.rglob("*.py"):
        text = place.read_text(encoding="utf-8", errors="surrogateescape")
        if _OURS in text:
            now = "".join(_resolved(text.splitlines(keepends=True)))
            place.write_text(now, encoding="utf-8", errors="surrogateescape", newline="")
    return target


def _resolved(lines: list[str]) -> Iterator[str]:
    kept: list[str] = []
    side = ""
    for line in lines:
        mark = line.rstrip()
        if mark in (_OURS, _THEIRS) or (mark == "=======" and side == _OURS):
            side = "" if mark == _THEIRS else mark
        elif side == _OURS:
            kept.append(line)
        else:
            yield line
    yield from (f"# {line.strip()}\n" for line in kept)


class Run(NamedTuple):
    """What became of a training."""

    text: str
    """``passes``, or the error that ended it."""
    losses: tuple[float, ...] = ()


def verify(project: Path, name: str, python: str) -> Run:
    """Train a project for three steps.

    Args:
        name: Of its repository.
        python: The interpreter, with torch and what the project requires.
    """
    (project / _SCRIPT).write_text(TRAININGS[name], encoding="utf-8")
    answer = project.parent / "verified.json"
    command = [sys.executable, "-m", "gpu2ascend", "verify", str(project), "--python", python]
    command += ["--data", "fake", "--no-original", "--json", str(answer), "--", _SCRIPT]
    variables = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, check=False, capture_output=True, env=variables)
    document = json.loads(answer.read_text(encoding="utf-8"))
    if done.returncode == 0:
        return Run("passes", tuple(document["ranks"][0]["losses"]))
    failure = document["failure"] or {"type": document["ending"], "text": ""}
    return Run(f"{failure['type']}: {failure['text']}".splitlines()[0][:80].replace("|", "/"))


def compared(fresh: Run, merged: Run) -> tuple[str, str]:
    """What is shown of both."""
    is_same = fresh.losses == merged.losses
    return fresh.text, merged.text if is_same else f"{merged.text}, other losses"
