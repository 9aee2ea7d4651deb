"""The model reaches its device in the method that trains it."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Experiment(object):
    def __init__(self, lr):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 1))
        self.lr = lr
        self.best = None

    def fit(self, loader, epochs, gpu_ids=(0,)):
        self.model.cuda(gpu_ids[0])
        self.model.train()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=self.lr)
        for epoch in range(epochs):
            for x, y in loader:
                x, y = x.cuda(gpu_ids[0]), y.to(gpu_ids[0])
                self.optimizer.zero_grad()
                loss = nn.functional.mse_loss(self.model(x), y)
                loss.backward()
                self.optimizer.step()

    def evaluate(self, x):
        self.model.eval()
        with torch.no_grad():
            return self.model(x.cuda()).mean().item()


def run():
    torch.manual_seed(16)
    x = torch.randn(32, 4)
    train = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=int(os.environ["BATCH_SIZE"]))
    experiment = Experiment(0.05)
    experiment.fit(train, 2)
    experiment.fit(train, 1)
    torch.save(experiment.model.state_dict(), os.path.join(os.environ["OUTPUT"], "model.pt"))
    figure = experiment.evaluate(x)
    print("result", figure)


if __name__ == "__main__":
    run()
