"""NVIDIA's apex: optimizers, norms, distributed wrappers. Started by torchrun."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from apex.normalization import FusedLayerNorm
from apex.optimizers import FusedAdam, FusedSGD
from apex.parallel import DistributedDataParallel as DDP
from apex.parallel import convert_syncbn_model


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten())
        self.norm = FusedLayerNorm(64, eps=1e-6)
        self.head = nn.Linear(64, 2)

    def forward(self, x):
        return self.head(self.norm(self.conv(x)))


def train(make_optimizer, device):
    torch.manual_seed(0)
    model = convert_syncbn_model(Net()).cuda()
    model = DDP(model)
    optimizer = make_optimizer(model.parameters())
    torch.manual_seed(dist.get_rank())
    x = torch.randn(16, 1, 6, 6, device=device)
    y = (x.mean((1, 2, 3)) > 0).long()
    losses = []
    for _ in range(6):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, loss, losses


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    train(lambda parameters: FusedSGD(parameters, lr=0.05, momentum=0.9), device)
    model, loss, losses = train(lambda parameters: FusedAdam(parameters, lr=0.01, weight_decay=0.01), device)
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
