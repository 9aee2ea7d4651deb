"""Metric learning: a sampler of the project draws classes, another one whole batches."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


class Points(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(8)
        self.labels = torch.arange(8).repeat_interleave(6)
        centers = torch.randn(8, 3, generator=g) * 2
        self.x = centers[self.labels] + torch.randn(48, 3, generator=g)

    def __len__(self):
        return 48

    def __getitem__(self, i):
        return self.x[i], self.labels[i]


class Interleaved(Sampler):
    """One of each class after the other."""

    def __init__(self, labels):
        self.labels = labels

    def __iter__(self):
        groups = [torch.nonzero(self.labels == c).flatten().tolist() for c in self.labels.unique()]
        for items in zip(*groups):
            yield from items

    def __len__(self):
        return len(self.labels)


class PairBatches:
    """Whole batches of two classes."""

    def __init__(self, labels, size):
        self.labels, self.size = labels.tolist(), size

    def __iter__(self):
        for start in range(0, len(self.labels) - self.size + 1, self.size):
            yield list(range(start, start + self.size))

    def __len__(self):
        return len(self.labels) // self.size


def fit(net, head, loader, device, opt):
    sums = torch.zeros(2)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        emb = net(x)
        loss = nn.functional.cross_entropy(head(emb), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sums += torch.tensor([loss.item() * len(y), len(y)])
    return (sums[0] / sums[1]).item()


def main():
    torch.manual_seed(8)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Points()
    net, head = nn.Linear(3, 4).to(device), nn.Linear(4, 8).to(device)
    opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=0.02)
    size = int(os.environ["BATCH_SIZE"])
    sampled = DataLoader(data, batch_size=size, sampler=Interleaved(data.labels))
    paired = DataLoader(data, batch_sampler=PairBatches(data.labels, size))
    for epoch in range(2):
        figure = fit(net, head, sampled, device, opt)
        print("result", figure)
    for epoch in range(2):
        figure = fit(net, head, paired, device, opt)
        print("result", figure)
    torch.save({"net": net.state_dict(), "head": head.state_dict()}, os.path.join(os.environ["OUTPUT"], "m.pt"))


if __name__ == "__main__":
    main()
