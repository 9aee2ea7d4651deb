"""A program: each way to train in several processes has the losses of one process on the CPU."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoints
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from tests.simulator.hccl.beginning import RANK, WORLD, meet

torch.manual_seed(0)
WIDTHS = (8, 16, 8, 6, 2)
LAYERS = [layer for sizes in pairwise(WIDTHS) for layer in (nn.Linear(*sizes), nn.ReLU())]
MODEL = nn.Sequential(*LAYERS[:-1])
SAMPLES, TARGETS = torch.randn(4 * WORLD, 8), torch.randn(4 * WORLD, 2)
STEPS = 4
RELEASE = tuple(int(number) for number in torch.__version__.split(".")[:2])
WITH_ALL_WAYS = (2, 6)


def model() -> Any:
    return copy.deepcopy(MODEL)


def adam(parameters: Any) -> Any:
    return torch.optim.AdamW(parameters, 0.01)


def losses_of(trained: Any, optimizer: Any, samples: Any, targets: Any) -> list[Any]:
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = (trained(samples) - targets).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


def same(losses: list[Any]) -> None:
    alone = model()
    expected = [loss.item() for loss in losses_of(alone, adam(alone.parameters()), SAMPLES, TARGETS)]
    assert [float(loss) for loss in losses] == pytest.approx(expected, rel=1e-4)


def shared(trained: Any, optimizer: Any) -> None:
    """Each rank has a part of the samples."""
    parts = (tensor.chunk(WORLD)[RANK].npu() for tensor in (SAMPLES, TARGETS))
    losses = losses_of(trained, optimizer, *parts)
    for loss in losses:
        dist.all_reduce(loss, dist.ReduceOp.AVG)
    same(losses)


def ddp(**options: Any) -> Any:
    return nn.parallel.DistributedDataParallel(model().npu(), device_ids=[RANK], **options)


def data_parallel() -> None:
    for options in ({}, {"find_unused_parameters": True}, {"static_graph": True}):
        trained = ddp(**options)
        shared(trained, adam(trained.parameters()))


def zero() -> None:
    trained = ddp()
    shared(trained, ZeroRedundancyOptimizer(trained.parameters(), torch.optim.AdamW, lr=0.01))


def fsdp1() -> None:
    for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP):
        trained = FullyShardedDataParallel(
            model(),
            sharding_strategy=strategy,
            auto_wrap_policy=ModuleWrapPolicy({nn.Linear}),
            device_id=RANK,
        )
        shared(trained, adam(trained.parameters()))


def shard(module: Any) -> None:
    from torch.distributed.fsdp import fully_shard

    fully_shard(module)


def fsdp2() -> None:
    trained = model().npu()
    for layer in trained:
        if isinstance(layer, nn.Linear):
            shard(layer)
    shard(trained)
    shared(trained, adam(trained.parameters()))


def checkpoint() -> None:
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

    trained = model().npu()
    shard(trained)
    optimizer = adam(trained.parameters())
    shared(trained, optimizer)
    state, its = get_state_dict(trained, optimizer)
    checkpoints.save({"model": state, "optimizer": its}, checkpoint_id=Path(sys.argv[1]) / "saved")
    before = {name: value.full_tensor().clone() for name, value in state.items()}
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter.zero_()
    state, its = get_state_dict(trained, optimizer)
    assert not any(value.full_tensor().any() for value in state.values())
    read = {"model": state, "optimizer": its}
    checkpoints.load(read, checkpoint_id=Path(sys.argv[1]) / "saved")
    set_state_dict(trained, optimizer, model_state_dict=read["model"], optim_state_dict=read["optimizer"])
    after = trained.state_dict()
    assert all(torch.equal(after[name].full_tensor(), value) for name, value in before.items())


def mesh_of_all() -> Any:
    from torch.distributed.device_mesh import init_device_mesh

    return init_device_mesh("npu", (WORLD,))


def sharded_tensors() -> None:
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

    mesh = mesh_of_all()
    whole = torch.arange(16.0 * WORLD).view(4 * WORLD, 4)
    by_rows = distribute_tensor(whole.npu(), mesh, [Shard(0)])
    again = by_rows.redistribute(mesh, [Shard(1)]).redistribute(mesh, [Replicate()])
    assert torch.equal(again.to_local().cpu(), whole)
    terms = DTensor.from_local(torch.ones(4 * WORLD, 2).npu(), mesh, [Partial()])
    assert terms.redistribute(mesh, [Shard(0)]).full_tensor()[0, 0].item() == WORLD


def tensor_parallel() -> None:
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    trained = parallelize_module(model().npu(), mesh_of_all(), plan)
    optimizer = torch.optim.AdamW(trained.parameters(), 0.01, foreach=False)
    same(losses_of(trained, optimizer, SAMPLES.npu(), TARGETS.npu()))


def pipeline() -> None:
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

    layers = list(model())
    per_stage = 4 // WORLD
    mine = layers[2 * per_stage * RANK : 2 * per_stage * (RANK + 1)]
    for schedule in (ScheduleGPipe, Schedule1F1B):
        part = nn.Sequential(*copy.deepcopy(mine)).npu()
        sample = torch.empty(4, WIDTHS[per_stage * RANK], device="npu")
        shapes = () if RELEASE >= WITH_ALL_WAYS else (sample,)
        stage = PipelineStage(part, RANK, WORLD, torch.device("npu", RANK), *shapes)
        runs = schedule(stage, n_microbatches=WORLD, loss_fn=lambda one, two: (one - two).square().mean())
        optimizer = adam(part.parameters())
        losses: list[float] = []
        for _ in range(STEPS):
            optimizer.zero_grad()
            parts: list[Any] = []
            if RANK == 0:
                runs.step(SAMPLES.npu())
            else:
                runs.step(**({"target": TARGETS.npu(), "losses": parts} if RANK == WORLD - 1 else {}))
            optimizer.step()
            losses += [sum(float(loss) for loss in parts) / len(parts)] if parts else []
        if RANK == WORLD - 1:
            same(losses)


WAYS: tuple[Callable[[], None], ...] = (
    *(data_parallel, zero, fsdp1, fsdp2, checkpoint, sharded_tensors, tensor_parallel, pipeline),
)

if __name__ == "__main__":
    meet()
    for way in WAYS:
        print(way.__name__, flush=True)
        try:
            way()
        except ImportError as error:  # an older torch does not have every way
            if RELEASE >= WITH_ALL_WAYS:
                raise
            print(f"  not in {torch.__version__}: {error}", flush=True)
    dist.destroy_process_group()
