"""Mutants run against their tests, each in a copy of the checkout, so that nobody's files change."""

from __future__ import annotations

import enum
import os
import shutil
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, util
from pathlib import Path
from typing import NamedTuple

from .covering import EVERYTHING, Coverage
from .plan import Step, all_files, steps, without
from .sampling import Mutant
from .testing import Bench, Outcome

COPIED = ("rules", "server", "tools", "tests", "docs", "examples", "benchmarks", "skills", "vscode-extension")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "node_modules", "dist", ".cache")


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
    test: str | None = None
    """The test that noticed, if one is known."""


def copy_checkout(root: Path, folder: Path) -> None:
    """Copy what the tests read."""
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=_LEFT_OUT, symlinks=True, dirs_exist_ok=True)
    for path in root.iterdir():
        if path.is_file():
            shutil.copy(path, folder / path.name)


def run(root: Path, mutants: Iterable[Mutant], records: Sequence[Path], jobs: int) -> Iterator[Verdict]:
    """What becomes of mutants, in their order."""
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (root, Path(folder), records)) as pool,
    ):
        yield from pool.map(_judge, mutants)


_coverage: Coverage
"""What the tests of this process's copy run."""
_tests: Bench
"""Those of this process's copy."""


def _begin(root: Path, folder: Path, records: Sequence[Path]) -> None:
    """A process for mutants has a copy of its own, and works in it."""
    global _coverage, _tests
    copy = folder / str(os.getpid())
    copy_checkout(root, copy)
    os.chdir(copy)
    _tests = Bench(interpreter(copy), copy.with_name(f"{copy.name}-tests"))
    _coverage = Coverage(*records)
    util.Finalize(None, _tests.close, exitpriority=1)


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
    """Run the tests until one notices that says nothing without the mutant."""
    path = Path(mutant.path)
    source, times = path.read_text(encoding="utf-8"), path.stat()
    _tests.collect()
    planned = steps(mutant, source, _coverage)
    idle: set[str] = set()
    while True:
        path.write_text(mutant.code, encoding="utf-8")
        try:
            _notice([without(step, idle) for step in planned], mutant, source)
        except Outcome as noticed:
            _put_back(path, source, times)
            if not _is_idle(noticed.test, planned, mutant.path, source):
                return Verdict(mutant, Fate.KILLED if noticed.ended else Fate.TIMED_OUT, noticed.test)
            idle.add(noticed.test or "")
        else:
            return Verdict(mutant, Fate.SURVIVED if planned else Fate.NOT_COVERED)
        finally:
            _put_back(path, source, times)


def _put_back(path: Path, source: str, times: os.stat_result) -> None:
    """Make a module what it was, at the time at which it was written: compiled files are of that time."""
    path.write_text(source, encoding="utf-8")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _notice(planned: Sequence[Step], mutant: Mutant, source: str) -> None:
    """Run steps, in forks where what runs at import is as it was. Raises Outcome: a test noticed."""
    at_import = _coverage.runs_at_import(mutant.path, mutant.line, source)
    if at_import or not _tests.run_in_fork(planned, mutant.path, source, mutant.code):
        _tests.run_anew(planned)


def _is_idle(test: str | None, planned: Sequence[Step], path: str, source: str) -> bool:
    """Whether a test fails without the mutant, too.
    Raises RuntimeError: the tests cannot be collected at all."""
    if test is None:
        if not _tests.can_collect(sorted(set(all_files(planned)))):
            raise RuntimeError("the tests cannot be collected, also without any mutant")
        return False
    alone = Step([test.partition("::")[0]], [test], EVERYTHING)
    try:
        if not _tests.run_in_fork([alone], path, source, source):
            _tests.run_anew([alone])
    except Outcome:
        return True
    return False
