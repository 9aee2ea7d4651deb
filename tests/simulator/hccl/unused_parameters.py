"""Trains a model of which a part is used by one rank only; prints how many parameters have learnt."""

import os
from typing import Any

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch import nn

RANK = int(os.environ["RANK"])


class Branches(nn.Module):  # type: ignore[misc]
    """Each rank takes its own branch; the third is nobody's."""

    def __init__(self) -> None:
        super().__init__()
        self.branches = nn.ModuleList(nn.Linear(4, 1) for _ in range(3))

    def forward(self, x: Any) -> Any:
        """Through the branch of the rank."""
        return self.branches[RANK](x)


torch.npu.set_device(RANK)
dist.init_process_group("hccl")
torch.manual_seed(0)
model = Branches().npu()
before = [branch.weight.detach().clone() for branch in model.branches]
parallel = nn.parallel.DistributedDataParallel(model, device_ids=[RANK], find_unused_parameters=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    parallel(torch.ones(2, 4).npu()).sum().backward()
    optimizer.step()
learnt = [not torch.equal(old, branch.weight) for old, branch in zip(before, model.branches, strict=True)]
everybody = [None] * dist.get_world_size()
dist.all_gather_object(everybody, learnt)
if RANK == 0:
    print(everybody)
dist.destroy_process_group()
