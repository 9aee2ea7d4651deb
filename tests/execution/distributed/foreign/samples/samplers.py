"""Indices drawn by samplers: a subset of them, and weighted ones."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset, WeightedRandomSampler

torch.manual_seed(13)
x = torch.randn(40, 4)
y = x.sum(1, keepdim=True)
data = TensorDataset(x, y)
size = int(os.environ["BATCH_SIZE"])
indices = list(range(40))
train_sampler = SubsetRandomSampler(indices[8:])
valid_sampler = SubsetRandomSampler(indices[:8])
train_loader = DataLoader(data, batch_size=size, sampler=train_sampler)
valid_loader = DataLoader(data, batch_size=8, sampler=valid_sampler)
weights = torch.arange(1, 41).float()
weighted_loader = DataLoader(
    data, batch_size=size, sampler=WeightedRandomSampler(weights, 32, replacement=True)
)


def run(net, optimizer):
    for epoch in range(2):
        for loader in (train_loader, weighted_loader):
            for a, b in loader:
                loss = (net(a.cuda()) - b.cuda()).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        with torch.no_grad():
            figure = sum((net(a.cuda()) - b.cuda()).pow(2).mean().item() for a, b in valid_loader)
        print("result", figure)


if __name__ == "__main__":
    net = nn.Linear(4, 1).cuda()
    run(net, torch.optim.SGD(net.parameters(), lr=0.05))
    torch.save(net.state_dict(), os.path.join(os.environ["OUTPUT"], "net.pt"))
