"""Logs of every kind: logging, a file that stays open, a writer of the project, a directory with the time."""

import csv
import datetime
import json
import logging
import os
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = logging.getLogger(__name__)


class CsvWriter:
    def __init__(self, path):
        self.file = open(path, "w", newline="")
        self.writer = csv.writer(self.file)
        self.writer.writerow(["epoch", "loss"])

    def log(self, epoch, loss):
        self.writer.writerow([epoch, loss])
        self.file.flush()


def main():
    torch.manual_seed(15)
    out = os.environ["OUTPUT"]
    time.sleep(0.01 * (os.getpid() % 7))
    run = os.path.join(out, datetime.datetime.now().strftime("%H%M%S.%f"))
    os.makedirs(run)
    logging.basicConfig(filename=os.path.join(out, "train.log"), filemode="w", level=logging.INFO)
    journal = open(os.path.join(out, "journal.txt"), "a")
    table = CsvWriter(os.path.join(out, "table.csv"))
    model = nn.Linear(4, 1).cuda()
    x = torch.randn(32, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=int(os.environ["BATCH_SIZE"]))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(3):
        losses = []
        for a, b in loader:
            loss = (model(a.cuda()) - b.cuda()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        mean = sum(losses) / len(losses)
        logger.info("epoch %d", epoch)
        logging.info("loss %.4f", mean)
        sys.stdout.write("epoch %d\n" % epoch)
        sys.stdout.flush()
        journal.write("epoch %d\n" % epoch)
        journal.flush()
        table.log(epoch, mean)
        torch.save(model.state_dict(), os.path.join(run, "model.pt"))
    state = torch.load(os.path.join(run, "model.pt"), map_location="cpu")
    with open(os.path.join(out, "runs.json"), "w") as f:
        count = len(os.listdir(out))
        json.dump({"keys": sorted(state)}, f)
    journal.close()
    print("result", float(count > 0))


if __name__ == "__main__":
    main()
