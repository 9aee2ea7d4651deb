"""A function makes the model and its optimizer; a trainer keeps them under other names."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x)


def build(width, device):
    net = Net(width)
    net.to(device)
    optim = torch.optim.Adam(net.parameters(), lr=0.01)
    return net, optim


class Trainer:
    def __init__(self, net, optimizer, loader, device):
        self.network = net
        self.optimizer = optimizer
        self.loader = loader
        self.device = device

    def step(self, x, y):
        out = self.network(x)
        loss = nn.functional.mse_loss(out, y)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return loss.detach()

    def fit(self, epochs):
        for epoch in range(epochs):
            for x, y in self.loader:
                self.step(x.to(self.device), y.to(self.device))

    def save(self, name):
        torch.save(
            {"model": self.network.state_dict(), "optim": self.optimizer.state_dict()},
            os.path.join(os.environ["OUTPUT"], name),
        )


def main():
    torch.manual_seed(3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, optimizer = build(8, device)
    x = torch.randn(32, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=int(os.environ["BATCH_SIZE"]))
    trainer = Trainer(model, optimizer, loader, device)
    trainer.fit(3)
    trainer.save("trainer.pt")
    torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "model.pt"))
    with torch.no_grad():
        value = model(x.to(device)).mean().item()
    print("result", value)


if __name__ == "__main__":
    main()
