"""Training that goes on from its last checkpoint."""
import argparse
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=int(os.environ["BATCH_SIZE"]))
    parser.add_argument("--gpu", type=int, default=0)
    args = parser.parse_args()
    return args


def load_checkpoint(path, model, optimizer):
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"] + 1


def main(args):
    torch.manual_seed(0)
    torch.cuda.set_device(args.gpu)
    x = torch.randn(32, 3)
    y = x.sum(1, keepdim=True)
    loader = DataLoader(TensorDataset(x, y), args.batch_size, False)
    model = nn.Linear(3, 1).cuda(args.gpu)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    path = os.path.join(os.environ["OUTPUT"], "checkpoint.pt")
    start = 0
    if args.resume and os.path.isfile(path):
        start = load_checkpoint(path, model, optimizer)
    for phase in range(2):  # twice: the second time from the checkpoint
        for epoch in range(start, args.epochs * (phase + 1)):
            for inputs, targets in loader:
                inputs = inputs.to(f"cuda:{args.gpu}")
                loss = (model(inputs) - targets.cuda(args.gpu)).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            torch.save({"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
        start = load_checkpoint(path, model, optimizer)
    final = (model(x.cuda()) - y.cuda()).pow(2).mean().item()
    print("result", final, "epochs", start)


if __name__ == "__main__":
    main(parse_args())
