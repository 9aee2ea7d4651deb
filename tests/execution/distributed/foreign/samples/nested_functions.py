"""A main with functions inside: sums that are divided by the caller, options, a log of tuples."""

import argparse
import json
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def get_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("-e", "--epochs", type=int, default=3)
    p.add_argument("-b", "--batch", type=int, default=int(os.environ["BATCH_SIZE"]))
    p.add_argument("--gpu", type=int, default=0)
    p.add_argument("--out", default=os.environ["OUTPUT"])
    return p.parse_args(argv)


def main():
    args = get_args()
    torch.manual_seed(7)
    if torch.cuda.is_available():
        torch.cuda.set_device(args.gpu)
        dev = torch.device(f"cuda:{args.gpu}")
    else:
        dev = torch.device("cpu")
    feats = torch.randn(60, 6)
    target = (feats[:, 0] + feats[:, 3] > 0).float()
    train_dl = DataLoader(TensorDataset(feats[:48], target[:48]), args.batch)
    test_dl = DataLoader(TensorDataset(feats[48:], target[48:]), 6)
    net = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 1)).to(dev)
    opt = torch.optim.Adagrad(net.parameters(), lr=0.1)
    log = []

    def forward(x, y):
        logits = net(x.to(dev)).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(logits, y.to(dev), reduction="sum"), logits

    def train_epoch():
        nonlocal log
        total, right = 0.0, 0
        for x, y in train_dl:
            opt.zero_grad()
            loss, logits = forward(x, y)
            (loss / len(x)).backward()
            opt.step()
            total += loss.item()
            right += ((logits > 0).float().cpu() == y).sum().item()
        return total, right

    def test():
        net.eval()
        with torch.no_grad():
            pairs = [forward(x, y)[0].item() for x, y in test_dl]
        net.train()
        return sum(pairs) / len(test_dl.dataset)

    for e in range(1, args.epochs + 1):
        total, right = train_epoch()
        tst = test()
        n = len(train_dl.dataset)
        log.append((e, total / n, right / n, tst))
        print("epoch {} result {:.4f} result {:.4f} result {:.4f}".format(e, total / n, right / n, tst))

    with open(os.path.join(args.out, "log.json"), "w") as f:
        json.dump(log, f)
    torch.save([net.state_dict(), log], os.path.join(args.out, "net.pt"))


if __name__ == "__main__":
    main()
