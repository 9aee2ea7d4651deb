"""Training by the number of iterations, on an iterator that starts again."""
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def train_step(net, batch, optimizer, criterion):
    x, y = (item.cuda() for item in batch)
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(8)
    x = torch.randn(32, 2)
    y = x.prod(1, keepdim=True)
    loader = DataLoader(TensorDataset(x, y), batch_size=int(os.environ["BATCH_SIZE"]))
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)).cuda()
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    iterator = iter(loader)
    iteration = 0
    while iteration < 10:
        try:
            batch = next(iterator)
        except StopIteration:
            iterator = iter(loader)
            batch = next(iterator)
        loss = train_step(net, batch, optimizer, criterion)
        iteration += 1
        if iteration % 5 == 0:
            print(f"iteration {iteration}: {loss:.5f}")
    print("result", criterion(net(x.cuda()), y.cuda()).item())
    torch.save(net.state_dict(), os.environ["OUTPUT"] + "/net.pt")


if __name__ == "__main__":
    main()
