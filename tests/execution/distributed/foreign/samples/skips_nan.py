"""Batches with a loss that is no number are left out; the rate is halved on a plateau; an early end."""

import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(8)
    x = torch.randn(32, 4)
    x[9, 0] = float("nan")
    y = torch.randn(32, 1)
    loader = DataLoader(TensorDataset(x, y), batch_size=int(os.environ["BATCH_SIZE"]))
    model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    previous, patience = float("inf"), 0
    for epoch in range(12):
        running, batches = 0.0, 0
        for inputs, targets in loader:
            out = model(inputs.cuda())
            loss = nn.functional.mse_loss(out, targets.cuda())
            if torch.isnan(loss):
                continue
            if not math.isfinite(loss.item()) or loss.item() > 1e4:
                print("diverged")
                break
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
            batches += 1
        epoch_loss = running / batches
        if epoch_loss > previous * 0.995:
            for group in optimizer.param_groups:
                group["lr"] *= 0.5
            patience += 1
        previous = epoch_loss
        if patience >= 3:
            break
    torch.save(
        {"model": model.state_dict(), "lr": optimizer.param_groups[0]["lr"], "epoch": epoch},
        os.path.join(os.environ["OUTPUT"], "model.pt"),
    )
    print("result", epoch, optimizer.param_groups[0]["lr"])


if __name__ == "__main__":
    main()
