"""msrun starts the processes, and says by variables which one it is."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import os\nimport torch\nimport torch.distributed as dist\nimport torch.multiprocessing as mp\n\n"


def body(text: str) -> str:
    made = converted(f"{HEAD}{text}\nx = torch.zeros(2)\n", distributed=True).text
    return made.rpartition("\nx = ops.zeros(2)\n")[0].partition("\n\n")[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("r = int(os.environ['RANK'])", "r = int(os.environ['RANK_ID'])"),
        ('r = os.environ.get("LOCAL_RANK", 0)', 'r = os.environ.get("DEVICE_ID", 0)'),
        ("r = os.getenv('WORLD_SIZE')", "r = os.getenv('RANK_SIZE')"),
        ("r = 'RANK' in os.environ", "r = 'RANK_ID' in os.environ"),
        ("os.environ['RANK'] = '0'", "os.environ['RANK'] = '0'"),
        ("r = names['RANK']", "r = names['RANK']"),
        ("dist.init_process_group('nccl', rank=r, world_size=n)", "communication.init()"),
        ("dist.all_reduce(t, op=dist.ReduceOp.MAX)", "mint.distributed.all_reduce(t, op='max')"),
        ("torch.cuda.set_device(r)\nn = 1", "n = 1"),
        ("mp.spawn(f, nprocs=2)", "f(int(os.environ.get('DEVICE_ID', 0)))"),
        (
            "mp.spawn(f, args=(n, 'a'), nprocs=n, join=True)",
            "f(int(os.environ.get('DEVICE_ID', 0)), int(os.environ.get('RANK_SIZE', 1)), 'a')",
        ),
        ("mp.spawn(f, args=given)", "f(int(os.environ.get('DEVICE_ID', 0)), *given)"),
        (
            "p.add_argument('--local_rank', type=int, default=-1)",
            "p.add_argument('--local_rank', type=int, default=int(os.environ.get('DEVICE_ID', -1)))",
        ),
        (
            "p.add_argument('--local-rank', type=int)",
            "p.add_argument('--local-rank', type=int, default=int(os.environ.get('DEVICE_ID', 0)))",
        ),
    ],
)
def test_what_torch_starts(before: str, after: str) -> None:
    assert body(before) == after


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("dist.all_reduce(t, group=g)", "argument"),
        ("mp.spawn(f, join=False)", "arguments"),
        ("p.add_argument('--local_rank', default=read())", "layout"),
        ("ok = dist.is_nccl_available()", "no-target"),
    ],
)
def test_what_keeps_the_file(line: str, reason: str) -> None:
    assert reason in converted(f"{HEAD}{line}\n", distributed=True).blockers.values()


@pytest.mark.parametrize("line", ["dist.barrier()", "mp.spawn(f)"])
def test_without_the_option_each_place_says_how(line: str) -> None:
    assert converted(f"{HEAD}{line}\n").blockers == {line: "processes"}


@pytest.mark.parametrize(
    "line",
    [
        "p.add_argument('--rank', type=int, help='--local_rank of torch')",
        "p.add_argument('--local_rank_of', type=int)",
        "command.append('--local_rank')",
        "print('--local_rank')",
    ],
)
def test_only_an_option_that_is_declared_gets_a_default(line: str) -> None:
    declared = "p.add_argument('--local_rank', type=int)"
    made = "p.add_argument('--local_rank', type=int, default=int(os.environ.get('DEVICE_ID', 0)))"
    assert body(f"{line}\n{declared}") == f"{line}\n{made}"
