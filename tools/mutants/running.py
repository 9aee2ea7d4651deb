"""Mutants run against their tests, each in a copy of the checkout, so that nobody's files change."""

from __future__ import annotations

import enum
import json
import os
import shlex
import shutil
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from cosmic_ray.testing import run_tests
from cosmic_ray.work_item import TestOutcome

from .covering import FAST_MARKS, FIRST, Coverage, marks_of, own_tests, room_tests
from .sampling import Mutant
from .selection import LISTED

COPIED = ("rules", "server", "tools", "tests", "docs", "examples", "benchmarks", "vscode-extension")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "node_modules", "dist", ".cache")
_SECONDS = 600
"""Wall clock after which even tests that wait are given up; see also ``selection.PROCESSOR_SECONDS``."""


class Fate(enum.Enum):
    """What became of a mutant."""

    KILLED = "killed"
    TIMED_OUT = "killed: the tests waited for ever"
    SURVIVED = "survived"
    NOT_COVERED = "survived: no test runs it"


class Verdict(NamedTuple):
    """A mutant and what became of it."""

    mutant: Mutant
    fate: Fate


def copy_checkout(root: Path, folder: Path) -> None:
    """Copy what the tests read."""
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=_LEFT_OUT, symlinks=True, dirs_exist_ok=True)
    for path in root.iterdir():
        if path.is_file():
            shutil.copy(path, folder / path.name)


def run(root: Path, mutants: Iterable[Mutant], records: Path, jobs: int) -> Iterator[Verdict]:
    """What becomes of mutants, in their order."""
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (root, Path(folder), records)) as pool,
    ):
        yield from pool.map(_judge, mutants)


_coverage: Coverage
"""What the tests of this process's copy run."""
_python: Path
"""The interpreter of this process's copy."""


def _begin(root: Path, folder: Path, records: Path) -> None:
    """A process for mutants has a copy of its own, and works in it."""
    global _coverage, _python
    copy = folder / str(os.getpid())
    copy_checkout(root, copy)
    _python = interpreter(copy)
    os.chdir(copy)
    _coverage = Coverage(records)


def interpreter(copy: Path) -> Path:
    """An interpreter with the packages of this one, but for ours: those are the copy's.

    So a program that a test starts is the mutated one, though it looks at no PYTHONPATH (``-I``).
    """
    place = copy.with_name(f"{copy.name}-python")
    venv.create(place, symlinks=os.name != "nt")
    paths = {key: Path(sysconfig.get_path(key)) for key in ("purelib", "platlib")}
    values = {"base": str(place), "platbase": str(place)}
    below = Path(sysconfig.get_path("purelib", "venv", values))
    ours = [copy / "rules", copy / "server"]
    below.joinpath("mutants.pth").write_text("\n".join(map(str, [*ours, *dict.fromkeys(paths.values())])))
    return Path(sysconfig.get_path("scripts", "venv", values)) / Path(sys.executable).name


def _judge(mutant: Mutant) -> Verdict:
    path = Path(mutant.path)
    source = path.read_text(encoding="utf-8")
    path.write_text(mutant.code, encoding="utf-8")
    try:
        return _verdict(mutant, source)
    finally:
        path.write_text(source, encoding="utf-8")


def _verdict(mutant: Mutant, source: str) -> Verdict:
    """The tests in the order in which they likely notice: own ones, covering ones, those of the room."""
    own = own_tests(Path(), mutant.path)
    covering = _coverage.tests_of(mutant.path, mutant.line, source)
    others = [test for test in covering if _is_other(test.partition("::")[0], own)]
    room = [] if own else room_tests(Path(), mutant.path)
    marks = marks_of(mutant.path)
    runs = (
        (own, None, marks),
        (_files(others[:FIRST]), others[:FIRST], FAST_MARKS),
        (_files(others[FIRST:]), others[FIRST:], FAST_MARKS),
        (
            room,
            None,
            f"(slow or execution) and {marks}" if others else marks,
        ),  # nothing is recorded of other processes
    )
    for files, listed, wanted in runs:
        fate = _outcome(files, listed, wanted) if files else Fate.SURVIVED
        if fate is not Fate.SURVIVED:
            return Verdict(mutant, fate)
    return Verdict(mutant, Fate.SURVIVED if own or others or room else Fate.NOT_COVERED)


def _files(tests: list[str]) -> list[str]:
    return sorted({test.partition("::")[0] for test in tests})


def _is_other(file: str, own: list[str]) -> bool:
    """Whether a test is of another file, that is still there: a kept record may name files that have gone."""
    return file not in own and Path(file).is_file()


def _outcome(files: Iterable[str], tests: list[str] | None, marks: str) -> Fate:
    """What tests do: all with these marks in the files, or only those that are listed."""
    listed = Path("mutant-tests.json")
    os.environ[LISTED] = str(listed.resolve()) if tests is not None else ""
    listed.write_text(json.dumps(tests), encoding="utf-8")
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "tools.mutants.selection", "-m", marks]
    outcome, output = run_tests(shlex.join([str(_python), "-m", "pytest", *options, *files]), _SECONDS)
    if outcome == TestOutcome.SURVIVED:
        return Fate.SURVIVED
    return Fate.TIMED_OUT if output == "timeout" else Fate.KILLED
