"""What a migration costs beside parsing and copying the same tree in one process; processor time."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import shell_scripts
from corpus import MIXED_PACKAGES, python_files, unpacked
from measure import ProcessCost, run_process

VERSION = "2.8.0"
COMMAND = Path(sys.executable).with_name("gpu2ascend")
BUDGET = 4.0
LARGE = 50_000
"""Lines of Python from which on the start of the command counts, too."""
SCRIPTS, CONFIGURATIONS = 100, 800
PARSE_AND_COPY = """
import ast, pathlib, shutil, sys
source, target = map(pathlib.Path, sys.argv[1:])
shutil.copytree(source, target)
for path in source.rglob("*.py"):
    ast.parse(path.read_bytes())
"""
Figure = tuple[str, float, float | None, str]


class Migration:
    """Migrating a tree with the command line, beside parsing and copying the same tree in one process."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder = folder
        self.scratch = scratch

    def migrate(self, jobs: int) -> ProcessCost:
        """Migrate into a fresh place with a number of worker processes."""
        with self._target() as target:
            arguments = ["migrate", "-i", str(self.folder), "-o", target, "-v", VERSION, "--jobs", str(jobs)]
            return run_process([str(COMMAND), *arguments], frozenset({0, 1}))

    def parse_and_copy(self) -> ProcessCost:
        """The reference: ``ast.parse`` of every Python file, and a copy of everything."""
        with self._target() as target:
            return run_process([sys.executable, "-c", PARSE_AND_COPY, str(self.folder), f"{target}/copy"])

    def _target(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(dir=self.scratch)


def figures(package: Path, scratch: Path, rounds: int) -> Iterator[Figure]:
    """Migrations of a large project, and of some that are not: time, processes, memory."""
    small, large = many_times(package, scratch, 1), many_times(package, scratch, 4)
    start = scratch / "two_lines"
    start.mkdir()
    (start / "a.py").write_text("import torch\ntorch.ones(2).cuda()\n", encoding="utf-8")
    first = Migration(start, scratch)
    first.migrate(1)  # writes the bytecode; not counted
    yield _beside_reference("four copies of timm", Migration(large, scratch), first, rounds)
    for requirement in MIXED_PACKAGES:
        yield _beside_reference(requirement, Migration(unpacked(requirement), scratch), first, rounds)
    mixed = _with_scripts(unpacked(MIXED_PACKAGES[0]), scratch)
    what = f"{SCRIPTS} scripts and {CONFIGURATIONS} configurations more"
    yield _beside_reference(what, Migration(mixed, scratch), first, rounds)
    yield _many_processes(Migration(large, scratch), rounds)
    peaks = [Migration(folder, scratch).migrate(1).peak_kib for folder in (small, large)]
    detail = f"{peaks[1] / 1024:.0f} MiB to {peaks[0] / 1024:.0f} MiB"
    yield "peak memory of migrate, 4 times the files : once", peaks[1] / peaks[0], 1.1, detail


def _beside_reference(what: str, project: Migration, start: Migration, rounds: int) -> Figure:
    """One process beside the reference, less its start where the project is not large."""
    lines = sum(path.read_bytes().count(b"\n") for path in python_files(project.folder))
    seconds: dict[str, list[float]] = {"ours": [], "theirs": [], "start": []}
    for _ in range(rounds):
        seconds["theirs"].append(project.parse_and_copy().processor_seconds)
        seconds["ours"].append(project.migrate(1).processor_seconds)
        seconds["start"].append(start.migrate(1).processor_seconds if lines < LARGE else 0.0)
    ours, theirs, less = (statistics.median(seconds[name]) for name in ("ours", "theirs", "start"))
    detail = f"{ours:.2f} s less {less:.2f} s, to {theirs:.2f} s; {lines} lines"
    return f"migrate {what} : ast.parse + copy", (ours - less) / theirs, BUDGET, detail


def _many_processes(project: Migration, rounds: int) -> Figure:
    cores = os.cpu_count() or 1
    alone, shared = [], []
    for _ in range(rounds):
        alone.append(project.migrate(1).seconds)
        shared.append(project.migrate(cores).seconds)
    ratio = statistics.median(shared) / statistics.median(alone)
    return f"migrate, {cores} processes : one process", ratio, 1 / 1.6, "1 would be no gain"


def many_times(folder: Path, scratch: Path, copies: int) -> Path:
    """A project that holds a folder several times over."""
    project = scratch / f"project_{copies}"
    for number in range(copies):
        shutil.copytree(folder, project / f"part_{number}")
    return project


def _with_scripts(folder: Path, scratch: Path) -> Path:
    """A project with scripts and configurations beside its Python, as those of speech and language have."""
    project = scratch / "with_scripts"
    shutil.copytree(folder, project)
    for number in range(SCRIPTS):
        (project / f"run_{number}.sh").write_text(shell_scripts.script(number % 8 + 1), encoding="utf-8")
    known = sorted(folder.rglob("*.yaml"))
    for number, path in enumerate(islice(cycle(known), CONFIGURATIONS)):
        target = project / "configurations" / str(number // 100)
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target / f"{number}.yaml")
    return project
