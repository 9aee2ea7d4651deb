"""A class that decides when to stop, on the loss of the training; a scheduler that looks at it."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EarlyStopping:
    def __init__(self, patience, path):
        self.patience, self.path = patience, path
        self.counter, self.best, self.early_stop = 0, None, False

    def __call__(self, loss, model):
        if self.best is None or loss < self.best - 1e-3:
            self.best = loss
            self.counter = 0
            torch.save(model.state_dict(), self.path)
        else:
            self.counter += 1
            if self.counter >= self.patience:
                self.early_stop = True


def train_epoch(model, loader, optimizer):
    model.train()
    total, correct = 0.0, 0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * x.size(0)
        correct += (out.argmax(1) == y).sum().item()
    return total / len(loader.dataset), correct / len(loader.dataset)


def main():
    torch.manual_seed(10)
    x = torch.randn(64, 4)
    y = (x[:, 0] + 0.5 * torch.randn(64) > 0).long()
    loader = DataLoader(TensorDataset(x, y), batch_size=int(os.environ["BATCH_SIZE"]))
    model = nn.Linear(4, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.3, threshold=1e-2)
    stopping = EarlyStopping(2, os.path.join(os.environ["OUTPUT"], "best.pt"))
    for epoch in range(20):
        loss, accuracy = train_epoch(model, loader, optimizer)
        scheduler.step(loss)
        stopping(loss, model)
        print(f"epoch {epoch} result {loss:.5f} result {accuracy:.5f}")
        if stopping.early_stop:
            print("stop")
            break
    model.load_state_dict(torch.load(os.path.join(os.environ["OUTPUT"], "best.pt")))
    torch.save({"model": model.state_dict(), "epoch": epoch}, os.path.join(os.environ["OUTPUT"], "last.pt"))


if __name__ == "__main__":
    main()
