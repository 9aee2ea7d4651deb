"""What becomes of each file of the table: refused, or trained in both frameworks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...projects import CACHE
from .sources import File, checked_out

EQUAL, DIFFERS, REFUSED, RAISES, OLD = "equal", "differs", "refused", "raises", "old"
_ABSOLUTE, _RELATIVE = 1e-4, 1e-3
_SECONDS = 400
_ROOT = Path(__file__).parents[4]


class Outcome(NamedTuple):
    """One file."""

    repository: str
    commit: str
    path: str
    outcome: str
    updates: int
    """How many updates both made."""
    apart: float
    """How far losses and weights are apart at most, as a part of their values."""
    reasons: list[str]
    """The messages at what prevents the conversion."""
    error: str
    """What a run raised."""


def outcomes(files: Sequence[File]) -> Iterator[Outcome]:
    """What becomes of files of one repository."""
    first = files[0]
    source = checked_out(first.repository, first.commit)
    output, left = _migrated(source)
    for one in files:
        yield _outcome(one, source, output, left.get(one.path, []))


def _migrated(source: Path) -> tuple[Path, dict[str, list[str]]]:
    """The converted project, and by file what keeps it from being converted.

    Raises:
        RuntimeError: the migration did not end as one does.
    """
    target = CACHE / "results" / "mindspore-trained" / source.name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    command = [
        *(sys.executable, "-m", "gpu2ascend", "migrate", "--json", "--language", "en"),
        *("--target", "mindspore", "-i", str(source), "-o", str(target)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=target)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{source.name}: exit {done.returncode}: {done.stderr[-500:]}")
    document = json.loads(done.stdout)
    left = {
        one["path"]: [found["message"] for found in one["remaining"] if found["code"] == "MS002"]
        for one in document["files"]
    }
    return Path(document["output"]), left


def _outcome(file: File, source: Path, output: Path, reasons: list[str]) -> Outcome:
    head = file.repository, file.commit, file.path
    if reasons:
        return Outcome(*head, REFUSED, 0, 0.0, list(dict.fromkeys(reasons)), "")
    before, after = _ran("torch", source, file), _ran("mindspore", output, file)
    if before["error"] or not before["losses"]:
        return Outcome(*head, OLD, 0, 0.0, [], before["error"] or "computes no gradient")
    if after["error"]:
        return Outcome(*head, RAISES, len(after["weights"]), 0.0, [], after["error"])
    pairs = [*_pairs(before["losses"], after["losses"]), *_pairs(before["weights"], after["weights"])]
    apart = max((abs(a - b) / max(abs(a), _ABSOLUTE / _RELATIVE) for a, b in pairs), default=0.0)
    is_whole = len(before["weights"]) == len(after["weights"]) and len(before["losses"]) == len(after["losses"])
    outcome = EQUAL if is_whole and apart <= _RELATIVE else DIFFERS
    shown = "" if outcome == EQUAL else f"{before['losses']} {after['losses']} {before['weights']} {after['weights']}"
    return Outcome(*head, outcome, len(after["weights"]), apart, [], shown)


def _pairs(first: list[float], second: list[float]) -> Iterator[tuple[float, float]]:
    return zip(first, second, strict=False)


def _ran(framework: str, folder: Path, file: File) -> dict[str, Any]:
    """What a run of one side shows."""
    command = [
        *(sys.executable, "-m", "tools.proof.mindspore.repositories.side", framework, str(folder)),
        *(file.path, file.model, file.given),
    ]
    environment = os.environ | {"GLOG_v": "4", "PICTURES": str(_pictures())}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=_ROOT, env=environment, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"losses": [], "weights": [], "error": f"no end within {_SECONDS} s"}
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        return {"losses": [], "weights": [], "error": done.stderr.strip()[-300:]}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def _pictures() -> Path:
    """A folder of small datasets."""
    from tests.execution.mindspore import pictures

    folder = CACHE / "pictures"
    if not folder.is_dir():
        pictures.COUNT = 300
        pictures.write_pictures(folder)
    return folder
