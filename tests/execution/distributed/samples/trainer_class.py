"""A trainer as a class that holds everything."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 12), nn.Tanh())
        self.head = nn.Linear(12, 1)

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, epochs, batch_size, output):
        self.epochs = epochs
        self.output = output
        self.device = "cuda:0"
        self.model = Net()
        self.model.to(self.device)
        self.optimizer = torch.optim.Adam(
            [{"params": self.model.body.parameters()}, {"params": self.model.head.parameters(), "lr": 0.02}],
            lr=0.01,
        )
        self.criterion = nn.MSELoss()
        self.history = []
        self._make_loaders(batch_size)

    def _make_loaders(self, batch_size):
        x = torch.linspace(-1, 1, 160).reshape(32, 5)
        y = x.pow(2).sum(1, keepdim=True)
        self.train_loader = DataLoader(
            TensorDataset(x, y),
            batch_size=batch_size,
            shuffle=False,
            num_workers=0,
        )
        self.test_loader = DataLoader(TensorDataset(x, y), batch_size=16)

    def train_epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = self.criterion(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def test(self):
        self.model.eval()
        losses = [self.criterion(self.model(x.cuda()), y.cuda()).item() for x, y in self.test_loader]
        return sum(losses) / len(losses)

    def save(self, epoch):
        path = os.path.join(self.output, "trainer.pt")
        torch.save({"epoch": epoch, "model": self.model.state_dict(), "optim": self.optimizer.state_dict()}, path)

    def fit(self):
        for epoch in range(self.epochs):
            self.train_epoch()
            self.history.append(self.test())
            print("result", self.history[-1])
            self.save(epoch)


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = Trainer(epochs=3, batch_size=int(os.environ["BATCH_SIZE"]), output=os.environ["OUTPUT"])
    trainer.fit()
