"""One function trains the model twice: its head first, then all of it."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, lr, epochs, device):
    model = model.to(device)
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=lr)
    for epoch in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


def main():
    torch.manual_seed(17)
    device = "cuda"
    x = torch.randn(32, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=int(os.environ["BATCH_SIZE"]))
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    for p in model[0].parameters():
        p.requires_grad = False
    model = train(model, loader, 0.05, 2, device)
    torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "head.pt"))
    for p in model.parameters():
        p.requires_grad = True
    model = train(model, loader, 0.01, 2, device)
    torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "model.pt"))
    figure = model(x.to(device)).mean().item()
    print("result", figure)


if __name__ == "__main__":
    main()
