"""Both backends at once, and all the places that ask which one it is."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel


def main():
    rank = int(os.environ["RANK"])
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    backend = "nccl" if dist.is_nccl_available() else "gloo"
    dist.init_process_group(backend="cpu:gloo,cuda:nccl", rank=rank, world_size=int(os.environ["WORLD_SIZE"]))
    group = dist.new_group(backend=backend)
    assert dist.get_backend(group) == dist.Backend.NCCL
    assert dist.get_backend(group) == "nccl" and dist.get_backend(group) != "gloo"

    double = torch.ones(1, dtype=torch.float64)
    dist.all_reduce(double)  # on the CPU: gloo adds doubles
    assert double.item() == dist.get_world_size()

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    model = DistributedDataParallel(model, device_ids=[local_rank], process_group=group)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    x = torch.randn(16, 4, generator=torch.Generator().manual_seed(rank)).to(device, non_blocking=True)
    losses = []
    for _ in range(10):
        for micro, last in ((x[:8], False), (x[8:], True)):
            context = model.no_sync() if not last else torch.enable_grad()
            with context:
                loss = (model(micro) - micro.sum(1, keepdim=True)).abs().mean()
                loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        average = loss.detach().clone()
        dist.all_reduce(average, op=dist.ReduceOp.AVG, group=group)
        losses.append(average.item())
    sums = torch.stack([p.detach().sum() for p in model.parameters()])
    others = [torch.empty_like(sums) for _ in range(dist.get_world_size())]
    dist.all_gather(others, sums)
    assert torch.equal(*others)
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
