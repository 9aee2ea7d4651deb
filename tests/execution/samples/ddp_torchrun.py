"""Distributed training started by torchrun."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def setup():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group(backend="nccl", init_method="env://")
    assert dist.get_backend() == "nccl"
    return local_rank, torch.device(f"cuda:{local_rank}")


def reduce_mean(value, device):
    tensor = torch.tensor([value], dtype=torch.float32, device=device)
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM)
    return (tensor / dist.get_world_size()).item()


def main():
    local_rank, device = setup()
    torch.manual_seed(dist.get_rank())
    images = torch.randn(64, 3, 8, 8)
    labels = (images.mean((1, 2, 3)) > 0).long()
    dataset = TensorDataset(images, labels)
    sampler = DistributedSampler(dataset, shuffle=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, pin_memory=True)

    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2))
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model).cuda(local_rank)
    model = DDP(model, device_ids=[local_rank], output_device=local_rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.CrossEntropyLoss().cuda(local_rank)
    scaler = torch.cuda.amp.GradScaler(init_scale=256.0)
    means = []
    for epoch in range(3):
        sampler.set_epoch(epoch)
        total = 0.0
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.cuda.amp.autocast():
                loss = criterion(model(x), y)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            total += loss.item()
        means.append(reduce_mean(total / len(loader), device))

    gathered = [torch.zeros_like(loss) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, loss.detach())
    objects = [None] * dist.get_world_size()
    dist.all_gather_object(objects, loss.get_device())
    assert objects == list(range(dist.get_world_size())), objects
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), os.path.join(os.environ["OUTPUT"], "ddp.pt"))
    dist.barrier(device_ids=[local_rank])
    state = torch.load(os.path.join(os.environ["OUTPUT"], "ddp.pt"), map_location="cuda:%d" % local_rank)
    assert state["0.weight"].device == device
    model.module.load_state_dict(state)
    print(f"first loss {means[0]:.4f} last loss {means[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
