"""What processes wrote down, read back: whole, in order, and without what concerns us alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpu2ascend.verify.running.records import STACKS, read_records

THEIRS = 'Thread 0x01 (most recent call first):\n  File "/p/train.py", line 8 in step'
WATCH = (
    "Thread 0x02 (most recent call first):\n"
    '  File "/v/gpu2ascend_simulator/session/process.py", line 50 in _watch'
)
WAITING = (
    "Current thread 0x03 (most recent call first):\n"
    '  File "/v/gpu2ascend_simulator/session/process.py", line 40 in wait_for_the_end\n'
    '  File "/p/train.py", line 9 in main'
)


def written(folder: Path, name: str, stacks: str = "", **changes: Any) -> None:
    content = {
        "pid": 1, "parent": 0, "program": ["train.py"], "rank": 0, "world": 1, "steps": 3, "steps_on_cpu": 0,
        "is_done": True, "losses": [0.5, 0.25], "lines": {"train.py": [1, 2]}, "failure": None,
        "torch": "2.10.0", "notes": None, "made_up": ["MNIST"], "elsewhere": "", "seconds": 2.5,
        "ended": 100.0,
    }  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps({**content, **changes}))
    if stacks:
        (folder / f"{name}{STACKS}").write_text(stacks)


def test_a_record_is_what_was_written(tmp_path: Path) -> None:
    written(tmp_path, "a", steps_on_cpu=1)
    (record,) = read_records(tmp_path)
    assert (record.pid, record.program, record.losses) == (1, ("train.py",), (0.5, 0.25))
    assert (record.steps, record.steps_on_cpu, record.trains, record.is_done) == (3, 1, True, True)
    assert (record.lines, record.notes, record.stacks) == ({"train.py": (1, 2)}, {}, "")


def test_ranks_come_in_their_order_and_processes_of_a_rank_in_theirs(tmp_path: Path) -> None:
    for name, rank, pid in (("a", 1, 5), ("b", 0, 9), ("c", 0, 7)):
        written(tmp_path, name, rank=rank, pid=pid)
    assert [(record.rank, record.pid) for record in read_records(tmp_path)] == [(0, 7), (0, 9), (1, 5)]


def test_a_record_that_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    written(tmp_path, "a")
    (tmp_path / "b.json").write_text('{"pid": 2, ')
    (tmp_path / "c.json").write_text('{"pid": 3}')
    assert [record.pid for record in read_records(tmp_path)] == [1]


def test_the_thread_that_watches_is_no_thread_of_the_project(tmp_path: Path) -> None:
    written(tmp_path, "a", f"{THEIRS}\n{WATCH}\n")
    assert read_records(tmp_path)[0].stacks == THEIRS


def test_a_thread_that_waits_for_the_end_of_the_run_is_one(tmp_path: Path) -> None:
    written(tmp_path, "a", f"{WATCH}\n{THEIRS}\n{WAITING}\n")
    assert read_records(tmp_path)[0].stacks == f"{THEIRS}\n{WAITING}"
