"""A training script in plain functions, with an argument parser, as tutorials write it."""
import argparse
import os

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


def build_data():
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(48, 6, generator=generator)
    labels = (images.sum(1) > 0).long()
    return TensorDataset(images[:32], labels[:32]), TensorDataset(images[32:], labels[32:])


def train(model, loader, optimizer, criterion, device, epoch):
    model.train()
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            print(f"epoch {epoch} step {step}: {loss.item():.4f}")


def evaluate(model, loader, criterion, device):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += criterion(model(x.to(device)), y.to(device)).item() * len(x)
    return total / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=int(os.environ["BATCH_SIZE"]))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--output", default=os.environ["OUTPUT"])
    args = parser.parse_args()
    torch.manual_seed(1)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    train_set, val_set = build_data()
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=False)
    val_loader = DataLoader(val_set, batch_size=8)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss().to(device)
    for epoch in range(args.epochs):
        train(model, train_loader, optimizer, criterion, device, epoch)
        loss = evaluate(model, val_loader, criterion, device)
        print(f"result {loss:.6f}")
        torch.save(model.state_dict(), os.path.join(args.output, "model.pt"))
    model.load_state_dict(torch.load(os.path.join(args.output, "model.pt"), map_location=device))
    loss = evaluate(model, val_loader, criterion, device)
    print(f"result {loss:.6f}")


if __name__ == "__main__":
    main()
