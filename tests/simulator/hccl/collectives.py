"""A program: each collective of a group gives what its definition says."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.distributed as dist

from tests.simulator.hccl.beginning import RANK, WORLD, meet, numbers

OTHERS = list(range(WORLD))
TYPES = (
    *(torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint8, torch.bool),
)


def filled(value: float, count: int = 2) -> Any:
    return torch.full((count,), float(value), device="npu")


def reductions() -> None:
    for dtype in TYPES:
        total = numbers(RANK + 1, 2, dtype=dtype)
        dist.all_reduce(total)
        assert torch.equal(total.cpu(), torch.tensor([sum(OTHERS) + WORLD, 2 * WORLD]).to(dtype)), dtype
    expected = {"MAX": WORLD, "MIN": 1, "AVG": (WORLD + 1) / 2, "PRODUCT": 24 if WORLD == 4 else 2}
    for name, value in expected.items():
        total = numbers(RANK + 1.0)
        dist.all_reduce(total, getattr(dist.ReduceOp, name))
        assert total.item() == value, name
    total = numbers(float(RANK))
    dist.reduce(total, 1)
    assert RANK != 1 or total.item() == sum(OTHERS)
    part = filled(0)
    dist.reduce_scatter_tensor(part, torch.arange(2.0 * WORLD, device="npu"))
    assert part.tolist() == [2 * RANK * WORLD, (2 * RANK + 1) * WORLD]
    part = filled(0)
    dist.reduce_scatter(part, list(torch.arange(2.0 * WORLD, device="npu").chunk(WORLD)))
    assert part.tolist() == [2 * RANK * WORLD, (2 * RANK + 1) * WORLD]


def halves_are_rounded_as_torch_rounds_them() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        generator = torch.Generator().manual_seed(RANK)
        mine = (torch.randn(4000, generator=generator) * 2.0 ** torch.randint(-20, 14, (4000,))).to(dtype)
        hosts = [torch.empty_like(mine) for _ in OTHERS]
        devices = [host.npu() for host in hosts]
        dist.all_gather(devices, mine.npu())
        total = mine.npu()
        dist.all_reduce(total)
        expected = sum(device.cpu().float() for device in devices)
        assert isinstance(expected, torch.Tensor) and torch.equal(total.cpu(), expected.to(dtype))


def copies() -> None:
    value = numbers(float(RANK))
    dist.broadcast(value, 1)
    assert value.item() == 1
    every = [filled(-1, 3) for _ in OTHERS]
    dist.all_gather(every, filled(RANK, 3))
    assert [one[0].item() for one in every] == OTHERS
    every = [filled(-1, rank + 1) for rank in OTHERS]
    dist.all_gather(every, filled(RANK, RANK + 1))
    assert [one[-1].item() for one in every] == OTHERS
    joined = filled(-1, 2 * WORLD)
    dist.all_gather_into_tensor(joined, filled(RANK))
    assert joined.tolist() == [place // 2 for place in range(2 * WORLD)]
    part = filled(-1)
    dist.scatter(part, [filled(rank) for rank in OTHERS] if RANK == 0 else None, src=0)
    assert part.tolist() == [RANK, RANK]
    every = [filled(-1) for _ in OTHERS] if RANK == 0 else []
    dist.gather(filled(RANK), every if RANK == 0 else None, dst=0)
    assert [one[0].item() for one in every] == (OTHERS if RANK == 0 else [])


def exchanges() -> None:
    mine = torch.arange(float(WORLD), device="npu") + 10 * RANK
    got = filled(-1, WORLD)
    dist.all_to_all_single(got, mine)
    assert got.tolist() == [10 * rank + RANK for rank in OTHERS]
    every = [filled(-1, 1) for _ in OTHERS]
    dist.all_to_all(every, list(mine.chunk(WORLD)))
    assert [one.item() for one in every] == [10 * rank + RANK for rank in OTHERS]
    uneven = torch.arange(float(sum(OTHERS) + WORLD), device="npu")
    got = filled(-1, WORLD * (RANK + 1))
    dist.all_to_all_single(got, uneven, [RANK + 1] * WORLD, [rank + 1 for rank in OTHERS])
    first = RANK * (RANK + 1) // 2
    assert got.tolist() == [first + place for place in range(RANK + 1)] * WORLD


def messages() -> None:
    following, before = (RANK + 1) % WORLD, (RANK - 1) % WORLD
    got = filled(-1)
    for sends in (True, False) if RANK % 2 == 0 else (False, True):
        (dist.send(filled(RANK), following) if sends else dist.recv(got, before))
    assert got.tolist() == [before, before]
    got = filled(-1)
    given = [dist.P2POp(dist.irecv, got, before), dist.P2POp(dist.isend, filled(RANK), following)]
    for work in dist.batch_isend_irecv(given):
        work.wait()
    assert got.tolist() == [before, before]


def objects_and_groups() -> None:
    every: list[Any] = [None] * WORLD
    dist.all_gather_object(every, {"rank": RANK})
    assert every == [{"rank": rank} for rank in OTHERS]
    groups = [dist.new_group([rank for rank in OTHERS if rank % 2 == part]) for part in range(2)]
    total = numbers(1.0)
    dist.all_reduce(total, group=groups[RANK % 2])
    assert total.item() == WORLD // 2
    works = [dist.all_reduce(numbers(1.0), async_op=True) for _ in range(20)]
    for work in works:
        work.wait()
    dist.barrier()


def what_hccl_refuses() -> None:
    with pytest.raises(RuntimeError, match="Unsupported data type at::kDouble"):
        dist.all_reduce(numbers(1.0, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="No backend type associated with device type cpu"):
        dist.all_reduce(torch.ones(1))
    with pytest.raises(RuntimeError, match="Cannot use ReduceOp"):
        dist.all_reduce(numbers(1), dist.ReduceOp.BXOR)
    whole = numbers(RANK, dtype=torch.float64)
    dist.broadcast(whole, 0)
    assert whole.item() == 0


if __name__ == "__main__":
    meet()
    group: Any = dist.distributed_c10d._get_default_group()
    assert type(group._get_backend(torch.device("npu"))).__module__ == "torch_npu._C._distributed_c10d"
    reductions()
    halves_are_rounded_as_torch_rounds_them()
    copies()
    exchanges()
    messages()
    objects_and_groups()
    what_hccl_refuses()
    dist.destroy_process_group()
