"""Data that grows from epoch to epoch: a loader is made anew by a function for each, and training resumes."""

import argparse
import os

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Subset, TensorDataset

OUT = os.environ.get("OUTPUT", ".")
BATCH = int(os.environ.get("BATCH_SIZE", "8"))


def make_data(n=24, width=4, classes=3):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, width, generator=g)
    return x, (x.sum(1) > 0).long() + (x[:, 0] > 1).long()


def seeded(net):
    g = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.randn(p.shape, generator=g) * 0.3)
    return net


def stage_loader(data, epoch, total):
    share = (epoch + 1) / total
    size = int(len(data) * share)
    subset = Subset(data, list(range(size)))
    return DataLoader(subset, batch_size=BATCH, shuffle=False)


def fit(net, data, epochs, start, opt):
    for epoch in range(start, epochs):
        loader = stage_loader(data, epoch, epochs)
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(net(x.cuda()), y.cuda())
            loss.backward()
            opt.step()
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch + 1}, os.path.join(OUT, "stage.pt"))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--resume", action="store_true")
    args = p.parse_args()
    net = seeded(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
    start = 0
    if args.resume:
        state = torch.load(os.path.join(OUT, "stage.pt"), weights_only=True)
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        start = state["epoch"]
        args.epochs += 2
    fit(net, TensorDataset(*make_data()), args.epochs, start, opt)
    print(f"result {sum(p.sum().item() for p in net.parameters()):.6f}")


if __name__ == "__main__":
    main()
