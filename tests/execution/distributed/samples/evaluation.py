"""Training with an evaluation after each epoch, the best checkpoint, a log file and an early end."""
import csv
import json
import os
import shutil
import sys
import time
from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

OUTPUT = Path(os.environ["OUTPUT"])


def save_checkpoint(state, is_best, filename=OUTPUT / "last.pt"):
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, OUTPUT / "best.pt")


def accuracy(model, loader, device):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.to(device)).argmax(1) == y.to(device)).sum().item()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(4)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    logs = OUTPUT / "logs"
    if not logs.exists():
        os.makedirs(logs)
    x = torch.randn(48, 4)
    y = (x[:, 0] * x[:, 1] > 0).long()
    train_set, val_set = random_split(TensorDataset(x, y), [32, 16], generator=torch.Generator().manual_seed(0))
    trainloader = DataLoader(train_set, batch_size=int(os.environ["BATCH_SIZE"]), shuffle=False)
    valloader = DataLoader(val_set, batch_size=16, shuffle=False)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    net = net.to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    best, bad, history = -1.0, 0, []
    for epoch in range(4):
        start = time.time()
        net.train()
        for inputs, labels in trainloader:
            inputs, labels = inputs.to(device), labels.to(device)
            optimizer.zero_grad()
            criterion(net(inputs), labels).backward()
            optimizer.step()
        score = accuracy(net, valloader, device)
        history.append({"epoch": epoch, "accuracy": score})
        print("epoch %d: %.3f in %.1f s" % (epoch, score, time.time() - start))
        sys.stdout.flush()
        save_checkpoint({"epoch": epoch, "net": net.state_dict(), "score": score}, score > best)
        if score > best:
            best, bad = score, 0
        else:
            bad += 1
        if bad > 2:
            break
    with open(logs / "history.json", "w") as file:
        json.dump(history, file)
    with open(logs / "history.csv", "w", newline="") as file:
        writer = csv.writer(file)
        for row in history:
            writer.writerow(row.values())
    net.load_state_dict(torch.load(OUTPUT / "best.pt")["net"])
    final = accuracy(net, valloader, device)
    print(f"result {final:.6f}")


if __name__ == "__main__":
    sys.exit(main())
