"""Automatic mixed precision with a gradient scaler."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(2)
    device = torch.device("cuda", 0)
    x = torch.randn(32, 8)
    y = (x.sum(1) > 0).long()
    train_loader = DataLoader(dataset=TensorDataset(x, y), batch_size=int(os.environ["BATCH_SIZE"]), shuffle=False)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler(init_scale=128.0)
    for epoch in range(2):
        for data, target in train_loader:
            data, target = data.to(device, non_blocking=True), target.to(device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            with autocast():
                loss = F.cross_entropy(model(data), target)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()
        with torch.no_grad():
            total = F.cross_entropy(model(x.to(device)), y.to(device)).item()
        print("result", total)
    torch.save({"model": model.state_dict(), "scaler": scaler.state_dict()}, os.path.join(os.environ["OUTPUT"], "amp.pt"))


if __name__ == "__main__":
    main()
