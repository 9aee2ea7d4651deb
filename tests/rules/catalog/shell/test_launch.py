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


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("watch -n 1 nvidia-smi", "watch -n 1 npu-smi info"),
        ('watch -n 1 "nvidia-smi"', 'watch -n 1 "npu-smi info"'),
        ("ssh node1 'nvidia-smi'", "ssh node1 'npu-smi info'"),
        ('"nvidia-smi"', "npu-smi info"),
        ('sudo "nvidia-smi"', "sudo npu-smi info"),
        ("watch 'echo nvidia-smi'", "watch 'echo nvidia-smi'"),
        ("sudo nvidia-smi", "sudo npu-smi info"),
    ],
)
def test_a_query_of_the_devices_is_found_once(line: str, after: str) -> None:
    assert fixed("NPU1004", f"{line}\n", "run.sh") == f"{after}\n"
    assert len(said("NPU1004", f"{line}\n", "run.sh")) == (line != after)


@pytest.mark.parametrize("line", ["nsys profile ./a.out", "nsys profile -t python", "ncu --set full"])
def test_a_profiler_stays_where_no_program_of_python_follows(line: str) -> None:
    assert said("NPU1006", f"{line}\n", "run.sh") == [f"profiler manual error: {line.split()[0]}"]


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("srun --gpus 4 -N 2 python t.py", ["--gpus 4"]),
        ("srun -N 2 \\\n  --gres  gpu:4 \\\n  python t.py", ["--gres  gpu:4"]),
        ("salloc -G 4 --gpus-per-task=1 bash", ["-G 4", "--gpus-per-task=1"]),
        ("srun -N 2 python t.py --gpus 4", []),
        ("srun --gres npu:4 python t.py", []),
    ],
)
def test_what_a_scheduler_is_asked_for(line: str, options: list[str]) -> None:
    found = said("NPU1007", f"{line}\n", "run.sh")
    assert [text.partition(": ")[2] for text in found] == options
