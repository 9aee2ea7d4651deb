"""A project of several modules: the loader, the model and the loop live elsewhere."""
import os

import torch

from data import build_loaders
from engine.trainer import Trainer
from models import build_model


def main():
    torch.manual_seed(7)
    device = torch.device("cuda:0")
    train_loader, val_loader = build_loaders(int(os.environ["BATCH_SIZE"]))
    model = build_model().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trainer = Trainer(model, optimizer, train_loader, val_loader, device)
    for epoch in range(2):
        trainer.run_epoch()
        loss = trainer.evaluate()
        print("epoch", epoch, "result", loss)
        trainer.save(os.path.join(os.environ["OUTPUT"], f"epoch_{epoch}.pt"))


if __name__ == "__main__":
    main()
