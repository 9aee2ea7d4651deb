"""A module that holds the model and computes its losses, as people do who know Lightning."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Lit(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(4, hidden), nn.GELU(), nn.Linear(hidden, 2))
        self.criterion = nn.CrossEntropyLoss()
        self.checkpointing = False

    def use_checkpointing(self, flag):
        self.checkpointing = flag

    def forward(self, x, y):
        return self.criterion(self.model(x), y)

    def configure_optimizers(self, lr):
        decay = [p for n, p in self.named_parameters() if p.dim() >= 2]
        rest = [p for n, p in self.named_parameters() if p.dim() < 2]
        return torch.optim.AdamW(
            [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=lr
        )

    @torch.no_grad()
    def generate(self, x):
        return self.model(x).argmax(1)


class Data:
    def __init__(self):
        g = torch.Generator().manual_seed(7)
        self.x = torch.randn(32, 4, generator=g)
        self.y = (self.x.sum(1) > 0).long()

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(self.x, self.y), batch_size=int(os.environ["BATCH_SIZE"]), shuffle=False
        )


def main():
    torch.manual_seed(5)
    lit = Lit().cuda()
    lit.use_checkpointing(True)
    optimizer = lit.configure_optimizers(lr=0.01)
    data = Data()
    for epoch in range(3):
        for x, y in data.train_dataloader():
            loss = lit(x.cuda(), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            sample = lit.generate(data.x.cuda())
    torch.save(lit.model.state_dict(), os.path.join(os.environ["OUTPUT"], "inner.pt"))
    torch.save(lit.state_dict(), os.path.join(os.environ["OUTPUT"], "lit.pt"))
    lit.model.load_state_dict(torch.load(os.path.join(os.environ["OUTPUT"], "inner.pt"), map_location="cpu"))
    result = sample.float().mean().item()
    print("result", result)


if __name__ == "__main__":
    main()
