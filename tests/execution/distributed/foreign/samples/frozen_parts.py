"""A model whose parts are frozen and thawed by its own method, with heads that not every step uses."""

import os

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, 8), nn.Tanh())
        self.head, self.helper = nn.Linear(8, 3), nn.Linear(8, 6)

    def freeze(self, flag):
        for p in self.backbone.parameters():
            p.requires_grad = not flag

    def forward(self, x, helped=False):
        h = self.backbone(x)
        if helped:
            return self.head(h), self.helper(h)
        return self.head(h), None


def main():
    torch.manual_seed(4)
    x, y = torch.randn(32, 6), torch.arange(32) % 3
    loader = DataLoader(TensorDataset(x, y), batch_size=int(os.environ["BATCH_SIZE"]))
    model = Net().cuda()
    model.freeze(True)
    for phase in range(2):
        if phase == 1:
            model.freeze(False)
        optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.2)
        for epoch in range(2):
            total = 0.0
            for a, b in loader:
                a, b = a.cuda(), b.cuda()
                optimizer.zero_grad()
                out, rebuilt = model(a, helped=epoch > 0)
                loss = F.cross_entropy(out, b)
                if rebuilt is not None:
                    loss = loss + 0.1 * F.mse_loss(rebuilt, a)
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"phase {phase} result {total / len(loader):.5f}")
    torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "model.pt"))


if __name__ == "__main__":
    main()
