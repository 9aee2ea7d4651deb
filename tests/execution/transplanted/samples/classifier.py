"""Mixed precision as an option, with gradient accumulation, clipping and a checkpoint to resume from."""
import argparse
import os

import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


def build_data():
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(32, 6, generator=generator)
    return TensorDataset(images, (images.sum(1) > 0).long())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-amp", dest="amp", action="store_false")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--checkpoint", required=True)
    args = parser.parse_args()
    torch.manual_seed(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(build_data(), batch_size=args.batch_size, shuffle=False)
    model = Net()
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    scaler = GradScaler(enabled=args.amp)
    criterion = nn.CrossEntropyLoss()
    start = 0
    if os.path.exists(args.checkpoint):
        checkpoint = torch.load(args.checkpoint, map_location=device)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scaler.load_state_dict(checkpoint["scaler"])
        start = checkpoint["epoch"]
    for epoch in range(start, start + 2):
        for step, (x, y) in enumerate(loader):
            x, y = x.to(device), y.to(device)
            with autocast(enabled=args.amp):
                loss = criterion(model(x), y)
            scaler.scale(loss / 2).backward()
            if (step + 1) % 2 == 0:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scaler": scaler.state_dict(),
                "epoch": epoch + 1,
            },
            args.checkpoint,
        )
    weights = sum(parameter.detach().abs().sum().item() for parameter in model.parameters())
    print(f"result {weights:.6f}")


if __name__ == "__main__":
    main()
