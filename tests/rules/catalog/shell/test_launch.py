"""Programs of scripts that start others: what is left when a profiler goes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpu2ascend_rules.catalog.shell import launch
from gpu2ascend_rules.engine.places.context import PlaceContext
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
        ("srun --cpus-per-gpu=8 python t.py --mem-per-gpu=1", ["--cpus-per-gpu=8"]),
        ("srun -N 2 python t.py --gpus 4", []),
        ("srun --gres npu:4 python t.py", []),
    ],
)
def test_what_a_scheduler_is_asked_for(line: str, options: list[str]) -> None:
    found = said("NPU1007", f"{line}\n", "run.sh")
    assert [text.partition(": ")[2] for text in found] == options


@pytest.mark.parametrize(
    ("before", "is_relied_on"),
    [
        ("", True),
        ("echo $SLURM_GPUS", True),
        ("for ((i=0; i<SLURM_GPUS; i++)); do echo $i; done", True),
        ("N=$((SLURM_GPUS * 2))", True),
        ("[ -n $OTHER ] && echo $SLURM_GPUS", True),
        ("test -d data && echo $SLURM_GPUS", True),
        ("[[ $SLURM_GPUS ]] || exit 1", False),
        ('if [ "$SLURM_GPUS" != "" ]; then run; fi', False),
        ("if [[ -d data && \\\n  -v SLURM_GPUS ]]; then run; fi", False),
        ("(( SLURM_GPUS > 0 )) && run", False),
        ("test $SLURM_GPUS -gt 0 || exit", False),
        (": ${SLURM_GPUS:=8}", False),
        ("read SLURM_GPUS", False),
    ],
)
def test_a_variable_of_the_scheduler_is_relied_on_without_a_test(before: str, is_relied_on: bool) -> None:
    found = said("NPU1007", f"{before}\ntorchrun --nproc_per_node $SLURM_GPUS t.py\n", "run.sh")
    assert (found[-1:] == ["variable manual error: SLURM_GPUS"]) is is_relied_on


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ('echo "GPUs: $SLURM_GPUS"', 0),
        ("printf '%s' $SLURM_GPUS; echo ${SLURM_GPUS}", 0),
        ("N=$(echo $SLURM_GPUS | cut -c 1)", 1),
        ("echo GPUs; N=$SLURM_GPUS", 1),
        ('echo "$(run $SLURM_GPUS)"', 1),
        ('echo "$(date) $SLURM_GPUS"', 0),
    ],
)
def test_what_is_only_printed_is_not_relied_on(line: str, count: int) -> None:
    assert len(said("NPU1007", f"{line}\n", "run.sh")) == count


def test_tests_of_variables_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[PlaceContext] = []
    looked_for = launch._set_or_tested

    def counted(ctx: PlaceContext) -> Iterator[str]:
        asked.append(ctx)
        return looked_for(ctx)

    monkeypatch.setattr(launch, "_set_or_tested", counted)
    assert len(said("NPU1007", "N=$SLURM_GPUS\nM=$SLURM_GPUS_ON_NODE\n" * 5, "run.sh")) == 10
    assert len(asked) == 1
