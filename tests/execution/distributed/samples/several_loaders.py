"""Loaders for training, validation and test, made by a function from dictionaries of arguments."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils import data


def make_loaders(batch_size):
    g = torch.Generator().manual_seed(5)
    x = torch.randn(64, 3, generator=g)
    y = (x[:, 0] > 0).long()
    full = data.TensorDataset(x, y)
    train_kwargs = {"batch_size": batch_size}
    test_kwargs = {"batch_size": 8}
    if torch.cuda.is_available():
        extra = {"num_workers": 0, "pin_memory": False, "shuffle": False}
        train_kwargs.update(extra)
        test_kwargs.update(extra)
    train = data.DataLoader(data.Subset(full, range(32)), **train_kwargs)
    val = data.DataLoader(data.Subset(full, range(32, 48)), **test_kwargs)
    test = data.DataLoader(data.Subset(full, range(48, 64)), 8, False)
    return {"train": train, "val": val, "test": test}


def run_epoch(net, loader, optimizer=None):
    total, count = 0.0, 0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = F.cross_entropy(net(x), y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total, count = total + loss.item() * len(x), count + len(x)
    return total / count


def main():
    torch.manual_seed(0)
    loaders = make_loaders(int(os.environ["BATCH_SIZE"]))
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    for epoch in range(2):
        net.train()
        run_epoch(net, loaders["train"], optimizer)
        net.eval()
        with torch.no_grad():
            val = run_epoch(net, loaders["val"])
        print("epoch", epoch, "result", val)
    with torch.no_grad():
        test = run_epoch(net, loaders["test"])
    print("result", test)
    torch.save(net, os.path.join(os.environ["OUTPUT"], "whole.pt"))


if __name__ == "__main__":
    main()
