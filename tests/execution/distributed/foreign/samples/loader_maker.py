"""One function makes the loaders of training and evaluation; a dictionary passes them on."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def get_loader(dataset, batch_size, train=False):
    return DataLoader(dataset, batch_size=batch_size, shuffle=False, drop_last=train)


def loaders(bs):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(32, 4, generator=g)
    y = x.sum(1, keepdim=True)
    return {
        "train": get_loader(TensorDataset(x, y), bs, train=True),
        "val": get_loader(TensorDataset(x[:16] + 1, y[:16]), 16),
        "extra": get_loader(TensorDataset(x - 1, y - 4), bs, True),
    }


def evaluate(model, loader):
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for a, b in loader:
            total += nn.functional.l1_loss(model(a.cuda()), b.cuda(), reduction="sum").item()
            count += len(a)
    return total / count


def main():
    torch.manual_seed(12)
    net = nn.Linear(4, 1).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    data = loaders(int(os.environ["BATCH_SIZE"]))
    for epoch in range(2):
        net.train()
        for source in (data["train"], data["extra"]):
            for a, b in source:
                loss = nn.functional.mse_loss(net(a.cuda()), b.cuda())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        figure = evaluate(net, data["val"])
        print("result", figure)
    torch.save(net.cpu(), os.path.join(os.environ["OUTPUT"], "net.pt"))


if __name__ == "__main__":
    main()
