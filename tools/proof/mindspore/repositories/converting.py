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

from ...projects import CACHE, checked_out
from .sources import File

EQUAL, ROUNDED, DIFFERS, REFUSED, RAISES, OLD = (
    "equal", "rounded", "differs", "refused", "raises", "old",
)  # fmt: skip
_ABSOLUTE, _RELATIVE = 1e-4, 1e-3
_MULTIPLE = 4
"""How much farther apart both may be than PyTorch is moved by weights that differ by 1e-6."""
_SECONDS = 600
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
    Raises RuntimeError: the migration did not end as one does."""
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
    apart = _apart(before, after)
    outcome = EQUAL if apart <= _RELATIVE else DIFFERS
    if outcome == DIFFERS and apart < 1:
        moved = max(_apart(before, _ran("torch", source, file, nudge)) for nudge in (1, 2, 3))
        outcome = ROUNDED if apart <= _MULTIPLE * moved else DIFFERS
    shown = json.dumps([before, after]) if outcome == DIFFERS else ""
    return Outcome(*head, outcome, len(after["weights"]), apart, [], shown)


def _apart(first: dict[str, Any], second: dict[str, Any]) -> float:
    """How far losses and weights are apart at most, as a part of their values; 1 where one has more.

    Losses of which PyTorch takes the gradients one after the other may be one sum in MindSpore.
    """
    several, rest = divmod(len(first["losses"]), max(len(second["losses"]), 1))
    if several > 1 and not rest:
        whole = first["losses"]
        first = {**first, "losses": [sum(whole[at : at + several]) for at in range(0, len(whole), several)]}
    if any(len(first[one]) != len(second[one]) for one in ("losses", "weights")):
        return 1.0
    pairs = zip([*first["losses"], *first["weights"]], [*second["losses"], *second["weights"]], strict=True)
    return max((abs(a - b) / max(abs(a), _ABSOLUTE / _RELATIVE) for a, b in pairs), default=0.0)


def _ran(framework: str, folder: Path, file: File, nudge: int = 0) -> dict[str, Any]:
    """What a run of one side shows, with weights that are nudged where a number says how."""
    command = [
        *(sys.executable, "-m", "tools.proof.mindspore.repositories.side", framework, str(folder)),
        *(file.path, file.model, file.given),
    ]
    environment = os.environ | {
        "GLOG_v": "4",
        "PYTHONHASHSEED": "0",
        "PICTURES": str(_pictures()),
        "NUDGE": str(nudge),
    }
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
