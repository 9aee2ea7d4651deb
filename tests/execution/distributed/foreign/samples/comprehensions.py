"""Steps in comprehensions: a step that a function makes, batches of an object that the trainer is given."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

OUT = os.environ.get("OUTPUT", ".")
BATCH = int(os.environ.get("BATCH_SIZE", "8"))


class Source:
    def __init__(self, size):
        g = torch.Generator().manual_seed(3)
        self.size = size
        self.x = torch.randn(32, 6, generator=g)
        self.y = (self.x[:, 0] > 0).long()

    def batches(self):
        return DataLoader(TensorDataset(self.x, self.y), batch_size=self.size)


def make_step(net, criterion, opt):
    def step(x, y):
        opt.zero_grad()
        out = net(x.cuda())
        loss = criterion(out, y.cuda())
        loss.backward()
        opt.step()
        return {"loss": loss.item(), "hits": (out.argmax(1).cpu() == y).float().mean().item()}

    return step


class Fitter:
    def __init__(self, net, source):
        self.net = net.cuda()
        self.loader, self.epochs = source.batches(), 3
        self.step = make_step(self.net, nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.1))

    def fit(self):
        for _ in range(self.epochs):
            outs = [self.step(x, y) for x, y in self.loader]
            print(f"result {sum(out['loss'] for out in outs) / len(outs):.6f}")
            print(f"result {sum([out['hits'] for out in outs]) / len(self.loader):.6f}")
        torch.save(self.net.state_dict(), os.path.join(OUT, "net.pt"))


if __name__ == "__main__":
    torch.manual_seed(0)
    Fitter(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)), Source(BATCH)).fit()
