"""A copy of the repository's files, in which a tool may write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("rules", "server", "tools", "docs", "tests", "examples", "benchmarks")
FILES = ("pyproject.toml", "Makefile", "CONTRIBUTING.md", "ARCHITECTURE.md", "README.md", "CHANGELOG.md")
_GENERATED = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis")


def copy_checkout(folder: Path) -> Path:
    """Copy what the checks of a rule read; returns the folder."""
    for name in PARTS:
        shutil.copytree(ROOT / name, folder / name, ignore=_GENERATED, symlinks=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    return folder


def run_in(checkout: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the copy's own modules, with this Python's programs first on the path."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(checkout / part) for part in ("rules", "server", "")),
        "PYTHONIOENCODING": "utf-8",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }
    for name in [name for name in environment if name.startswith(("PYTEST_", "COV_"))]:
        del environment[name]
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
