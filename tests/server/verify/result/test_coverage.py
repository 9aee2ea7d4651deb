"""Which lines did not run: what has no code, and the lines of definitions that ran, are not among them."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend.verify.result.coverage import coverage_of, files_without, ranges
from gpu2ascend.verify.running.records import Record

SOURCE = '''\
"""A module."""

import math


def area(radius):
    """Of a circle."""
    if radius < 0:
        raise ValueError(
            "negative"
        )
    return math.pi * radius**2


def unused():
    return 1
'''


def record(**lines: tuple[int, ...]) -> Record:
    """What a process wrote that executed these lines of ``<name>.py``."""
    return Record(
        pid=1, parent=0, program=(), rank=0, world=1, steps=0, is_done=False, losses=(),
        lines={f"{name}.py": numbers for name, numbers in lines.items()}, failure=None, torch=None, notes={},
        seconds=0.0, ended=None,
    )  # fmt: skip


def test_what_could_have_run_and_did_not(tmp_path: Path) -> None:
    (tmp_path / "area.py").write_text(SOURCE)
    ran = (1, 3, 6, 8, 12, 15)
    (found,) = coverage_of(tmp_path, [record(area=ran)])
    assert (found.ran, found.missed) == (6, (9, 10, 16))


def test_lines_of_all_processes_count(tmp_path: Path) -> None:
    (tmp_path / "area.py").write_text(SOURCE)
    (found,) = coverage_of(tmp_path, [record(area=(1, 3, 6)), record(area=(8, 9, 10, 12, 15, 16))])
    assert found.missed == ()


def test_files_of_which_nothing_ran_are_named(tmp_path: Path) -> None:
    (tmp_path / "area.py").write_text(SOURCE)
    (tmp_path / "other.py").write_text("x = 1\n")
    assert files_without(tmp_path, coverage_of(tmp_path, [record(area=(1,))])) == ("other.py",)


def test_lines_are_written_as_ranges() -> None:
    assert ranges([9, 3, 7, 8]) == "3, 7-9"
