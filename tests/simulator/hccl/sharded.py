"""Trains a model whose parameters are shared out, by the way that its argument names; prints the losses."""

import os
import sys
from typing import Any

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

RANK = int(os.environ["RANK"])


def plain(model: Any) -> Any:
    """Every rank has all of it."""
    return nn.parallel.DistributedDataParallel(model, device_ids=[RANK])


def wrapped(model: Any) -> Any:
    """The wrapper shares out."""
    return FullyShardedDataParallel(model, device_id=torch.npu.current_device())


def meshed(model: Any) -> Any:
    """A mesh of devices shares out."""
    return fully_shard(model, mesh=init_device_mesh("npu", (dist.get_world_size(),)))


torch.npu.set_device(RANK)
dist.init_process_group("hccl")
torch.manual_seed(0)
layers = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)).npu()
model = {"plain": plain, "wrapped": wrapped, "meshed": meshed}[sys.argv[1]](layers)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
inputs = torch.randn(16, 8).npu()
targets = inputs.sum(1, keepdim=True)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = ((model(inputs) - targets) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(round(loss.item(), 4))
everybody = [None] * dist.get_world_size()
dist.all_gather_object(everybody, losses)
dist.barrier(device_ids=[RANK])
if RANK == 0:
    print(f"{loss.device} {everybody}")
dist.destroy_process_group()
