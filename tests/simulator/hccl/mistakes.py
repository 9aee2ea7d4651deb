"""A program that makes the mistake that it is called with."""

from __future__ import annotations

import sys
import time

import torch
import torch.distributed as dist

from tests.simulator.hccl.beginning import RANK, meet, numbers


def stays_away() -> None:
    meet(seconds=4)
    dist.all_reduce(numbers(1.0))
    if RANK == 0:
        total = numbers(1.0)
        dist.all_reduce(total)
        print(total.item())
    time.sleep(8)


def sends_other_sizes() -> None:
    meet()
    total = torch.ones(3 + RANK, device="npu")
    dist.all_reduce(total)
    print(total.tolist())


def shares_a_device() -> None:
    meet(device=0)
    dist.all_reduce(numbers(1.0))


if __name__ == "__main__":
    {"away": stays_away, "sizes": sends_other_sizes, "device": shares_a_device}[sys.argv[1]]()
