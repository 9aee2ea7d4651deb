"""What the files that are not Python cost a migration: the same projects with and without them, in one run.

``python benchmarks/bench_other_kinds.py [FOLDER ...]`` prints a ratio for each folder, in processor time of
one process, the fastest of some turns about; without folders it takes source distributions from PyPI.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from corpus import CACHE
from measure import let_bytecode_be_kept, run_process

VERSION = "2.8.0"
BUDGET = 1.3
COMMAND = Path(sys.executable).with_name("gpu2ascend")
PROJECTS = ("asteroid==0.7.0", "OpenNMT-py==3.5.1", "recbole==1.2.1")
"""Source distributions with many scripts and configurations."""


def unpacked_source(requirement: str) -> Path:
    """The folder of a source distribution, downloaded the first time it is asked for.
    Raises RuntimeError: the package index does not give it."""
    folder = CACHE / f"source-{requirement.replace('==', '-')}"
    if folder.is_dir():
        return folder
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([*command, "--dest", scratch, requirement], check=False)
        archives = list(Path(scratch).glob("*.tar.gz"))
        if not archives:
            raise RuntimeError(f"{requirement} could not be downloaded; the benchmark measures on it")
        with tarfile.open(archives[0]) as opened:
            has_filters = hasattr(tarfile, "data_filter")  # Debian 12's Python has none
            opened.extractall(folder.with_suffix(".part"), **({"filter": "data"} if has_filters else {}))
    (inner,) = folder.with_suffix(".part").iterdir()
    inner.rename(folder)
    return folder


def python_alone(source: Path, target: Path) -> int:
    """Copy a project's Python files only; gives the number of the others."""
    shutil.copytree(source, target)
    others = [path for path in target.rglob("*") if path.is_file() and path.suffix not in (".py", ".ipynb")]
    for path in others:
        path.unlink()
    return len(others)


def seconds_of(folder: Path, scratch: Path) -> float:
    """The processor time of one migration in one process."""
    with tempfile.TemporaryDirectory(dir=scratch) as output:
        arguments = ["migrate", "-i", str(folder), "-o", output, "-v", VERSION, "--jobs", "1"]
        return run_process([str(COMMAND), *arguments], frozenset({0, 1})).processor_seconds


def compared(source: Path, scratch: Path, rounds: int) -> tuple[float, float, int]:
    """Seconds with and without the other files, and how many these are."""
    whole, alone = scratch / "whole", scratch / "alone"
    shutil.copytree(source, whole)
    others = python_alone(source, alone)
    seconds_of(alone, scratch)  # writes the bytecode; not counted
    pairs = [(seconds_of(whole, scratch), seconds_of(alone, scratch)) for _ in range(rounds)]
    return min(first for first, _ in pairs), min(second for _, second in pairs), others


def main() -> int:
    """Print the ratios; the exit code is 1 when one is over the budget."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each pair (default 3)")
    parser.add_argument("folders", nargs="*", type=Path, help="projects; without any, some from PyPI")
    parsed = parser.parse_args()
    let_bytecode_be_kept()
    over = False
    for folder in parsed.folders or [unpacked_source(requirement) for requirement in PROJECTS]:
        with tempfile.TemporaryDirectory() as scratch:
            whole, alone, others = compared(folder, Path(scratch), parsed.rounds)
        over |= whole / alone > BUDGET
        print(f"{folder.name}: {whole / alone:.2f} (budget {BUDGET}): {whole:.2f} s to {alone:.2f} s, "
              f"{others} other files", flush=True)  # fmt: skip
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
