"""A trainer of a configuration class: meters that are printed within the loop and averaged after it."""

import os
from dataclasses import dataclass, field

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    lr: float = 0.1
    epochs: int = 3
    batch_size: int = int(os.environ["BATCH_SIZE"])
    hidden: list = field(default_factory=lambda: [8, 8])
    log_every: int = 2
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class AverageMeter:
    def __init__(self, name, fmt=":f"):
        self.name, self.fmt = name, fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def accuracy(output, target):
    with torch.no_grad():
        return (output.argmax(1) == target).float().mean()


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        torch.manual_seed(0)
        x = torch.randn(48, 5)
        y = (x[:, 0] * x[:, 1] > 0).long()
        self.train_loader = DataLoader(TensorDataset(x[:32], y[:32]), batch_size=cfg.batch_size)
        self.val_loader = DataLoader(TensorDataset(x[32:], y[32:]), batch_size=8)
        sizes = [5, *cfg.hidden]
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.model = nn.Sequential(*layers, nn.Linear(sizes[-1], 2)).to(cfg.device)
        self.optimizer = optim.SGD(self.model.parameters(), lr=cfg.lr, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.best = 0.0
        self.history = {"loss": [], "acc": []}

    def _step(self, batch):
        x, y = (t.to(self.cfg.device) for t in batch)
        out = self.model(x)
        loss = self.criterion(out, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item(), accuracy(out, y).item(), x.size(0)

    def train_one_epoch(self, epoch):
        losses, top1 = AverageMeter("loss"), AverageMeter("acc")
        self.model.train()
        for i, batch in enumerate(self.train_loader):
            loss, acc, n = self._step(batch)
            losses.update(loss, n)
            top1.update(acc, n)
            if i % self.cfg.log_every == 0:
                print(f"[{epoch}][{i}] result {losses.avg:.5f} ({top1.avg:.5f})")
        self.history["loss"].append(losses.avg)
        self.history["acc"].append(top1.avg)
        return losses.avg, top1.avg

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        meter = AverageMeter("val")
        for x, y in self.val_loader:
            meter.update(accuracy(self.model(x.to(self.cfg.device)), y.to(self.cfg.device)).item(), len(x))
        return meter.avg

    def fit(self):
        for epoch in range(self.cfg.epochs):
            loss, acc = self.train_one_epoch(epoch)
            val = self.validate()
            print(f"epoch {epoch} result {loss:.5f} result {acc:.5f} result {val:.5f}")
            if val > self.best:
                self.best = val
                self.save("best.pt")
        self.save("last.pt")

    def save(self, name):
        state = {"model": self.model.state_dict(), "history": self.history, "best": self.best}
        torch.save(state, os.path.join(os.environ["OUTPUT"], name))


if __name__ == "__main__":
    Trainer(Config()).fit()
