"""Migrating a project of the proof as a user does, by the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .invariants import broken

VERSIONS = ("1.11.0", "2.1.0", "2.8.0")


class Migration(NamedTuple):
    """One project for one version."""

    document: dict[str, Any]
    """The result document."""
    violations: tuple[str, ...]
    """What must not be, with the file."""
    changed: tuple[tuple[Path, Path], ...]
    """Files that were edited: before and after."""


def migrated(source: Path, output: Path, version: str) -> Migration:
    """Migrate a project into a folder, which is emptied before.
    Raises RuntimeError: the command did not end as a migration does."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    command = [
        *(sys.executable, "-I", "-m", "gpu2ascend", "migrate", "--json", "--language", "en"),
        *("-i", str(source), "-o", str(output), "-v", version),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{source.name} for {version}: exit {done.returncode}: {done.stderr[-500:]}")
    document = json.loads(done.stdout)
    result = Path(document["output"])
    changed = tuple(
        (source / file["path"], result / file["path"])
        for file in document["files"]
        if file["status"] == "changed" and file["path"].endswith(".py")
    )
    return Migration(document, tuple(_violations(changed, result)), changed)


def _violations(changed: tuple[tuple[Path, Path], ...], result: Path) -> list[str]:
    found = []
    for before, after in changed:
        name = after.relative_to(result).as_posix()
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in (before, after)]
        found += [f"{name}: {what}" for what in broken(*texts)]
    return found
