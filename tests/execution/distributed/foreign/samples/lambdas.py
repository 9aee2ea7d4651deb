"""Loaders made by lambdas, one for each epoch."""

import os


import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BS = int(os.environ["BATCH_SIZE"])
device = "cuda" if torch.cuda.is_available() else "cpu"


def main():
    torch.manual_seed(6)
    x = torch.randn(32, 3)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    get_loader = lambda ds, shuffle: DataLoader(ds, batch_size=BS, shuffle=shuffle, drop_last=True)
    makers = {"train": lambda: DataLoader(data, batch_size=BS), "test": lambda: DataLoader(data, batch_size=4)}

    net = nn.Linear(3, 1).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)

    def one(loader):
        total = 0.0
        for a, b in loader:
            loss = (net(a.to(device)) - b.to(device)).abs().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        return total / len(loader)

    train_loader = get_loader(data, False)
    for epoch in range(2):
        print("result", one(train_loader))
    for epoch in range(2):
        print("result", one(makers["train"]()))
    loader = get_loader(shuffle=False, ds=data)
    for epoch in range(2):
        print("result", one(loader))
    torch.save(net.state_dict(), os.path.join(os.environ["OUTPUT"], "net.pt"))


if __name__ == "__main__":
    main()
