"""Steps instead of epochs, batches from a generator without an end."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def cycle(dl):
    while True:
        for batch in dl:
            yield batch


class Trainer:
    def __init__(self, model, steps):
        super().__init__()
        self.model = model.cuda()
        self.steps = steps
        self.step = 0
        x = torch.randn(32, 3)
        ds = TensorDataset(x, x.prod(1, keepdim=True))
        dl = DataLoader(ds, batch_size=int(os.environ["BATCH_SIZE"]), shuffle=False)
        self.dl = cycle(dl)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=0.01)

    def save(self, milestone):
        data = {"step": self.step, "model": self.model.state_dict(), "opt": self.opt.state_dict()}
        torch.save(data, os.path.join(os.environ["OUTPUT"], f"model-{milestone}.pt"))

    def train(self):
        while self.step < self.steps:
            total = 0.0
            for _ in range(2):
                x, y = next(self.dl)
                loss = nn.functional.mse_loss(self.model(x.cuda()), y.cuda())
                loss = loss / 2
                total += loss.item()
                loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.opt.zero_grad()
            self.step += 1
            if self.step % 5 == 0:
                self.save(self.step // 5)


if __name__ == "__main__":
    torch.manual_seed(11)
    model = nn.Sequential(nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 1))
    trainer = Trainer(model, 10)
    trainer.train()
    print("result", trainer.step)
