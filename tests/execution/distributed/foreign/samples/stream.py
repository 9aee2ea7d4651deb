"""Data that can only be gone through, and do not divide evenly."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        g = torch.Generator().manual_seed(1)
        for _ in range(self.count):
            x = torch.randn(4, generator=g)
            yield x, x.sum().reshape(1)


def main():
    torch.manual_seed(14)
    model = nn.Linear(4, 1).cuda()
    loader = DataLoader(Stream(33), batch_size=int(os.environ["BATCH_SIZE"]), drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "model.pt"))
    value = model.weight.sum().item()
    print("result", value)


if __name__ == "__main__":
    main()
