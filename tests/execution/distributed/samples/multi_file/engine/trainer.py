import torch
from torch import nn

from .checkpoints import save_model


class Trainer:
    def __init__(self, model, optimizer, train_loader, val_loader, device):
        self.model = model
        self.optimizer = optimizer
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.device = device
        self.criterion = nn.BCEWithLogitsLoss()

    def run_epoch(self):
        self.model.train()
        for x, y in self.train_loader:
            loss = self.criterion(self.model(x.to(self.device)), y.to(self.device))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        losses = [self.criterion(self.model(x.to(self.device)), y.to(self.device)) for x, y in self.val_loader]
        return torch.stack(losses).mean().item()

    def save(self, path):
        save_model(self.model, path)
