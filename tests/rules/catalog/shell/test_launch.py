"""Programs of scripts that start others: what is left when a profiler goes."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said


@pytest.mark.parametrize(
    ("profiled", "left"),
    [
        ("nsys profile -o python python train.py", "python train.py"),
        ("nsys profile --output torchrun torchrun train.py", "torchrun train.py"),
        ("nsys profile --output=out python train.py", "python train.py"),
        ("nsys profile --capture python train.py", "python train.py"),
        ("nsys profile -t cuda /opt/bin/python3.10 -m train", "/opt/bin/python3.10 -m train"),
        ("sudo nohup nsys profile accelerate launch train.py", "sudo nohup accelerate launch train.py"),
    ],
)
def test_without_the_profiler_the_program_runs_with_its_arguments(profiled: str, left: str) -> None:
    assert fixed("NPU1006", f"{profiled}\n", "run.sh") == f"{left}\n"


@pytest.mark.parametrize("line", ["nsys profile ./a.out", "nsys profile -t python", "ncu --set full"])
def test_a_profiler_stays_where_no_program_of_python_follows(line: str) -> None:
    assert said("NPU1006", f"{line}\n", "run.sh") == [f"profiler manual error: {line.split()[0]}"]
