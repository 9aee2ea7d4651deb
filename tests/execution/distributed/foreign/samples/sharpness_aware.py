"""An optimizer of the program that steps twice for each batch (SAM), with a loss that calls the model inline."""

import os

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

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


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base = base(self.param_groups, **kw)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        norm = torch.norm(torch.stack([p.grad.norm(p=2) for g in self.param_groups for p in g["params"] if p.grad is not None]), p=2)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                e = p.grad * (group["rho"] / (norm + 1e-12))
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()

    def step(self, closure=None):
        raise NotImplementedError


def main():
    net = seeded(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))).cuda()
    opt = SAM(net.parameters(), torch.optim.SGD, lr=0.2, momentum=0.9)
    loader = DataLoader(TensorDataset(*make_data()), batch_size=BATCH)
    for epoch in range(3):
        for x, y in loader:
            x, y = x.cuda(), y.cuda()
            F.cross_entropy(net(x), y).backward()
            opt.first_step()
            F.cross_entropy(net(x), y).backward()
            opt.second_step()
    torch.save(net.state_dict(), os.path.join(OUT, "net.pt"))
    print(f"result {sum(p.sum().item() for p in net.parameters()):.6f}")


if __name__ == "__main__":
    main()
