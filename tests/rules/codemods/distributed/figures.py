"""Programs that make figures of a share of the data."""

from __future__ import annotations

from tests.rules.codemods.distributed.conversion import script

METER = """
class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count
"""


def trained(inside: str = "", after: str = "", first: str = "", before: str = "") -> str:
    """A script with statements in the loop over batches, after it, and before it."""
    lines = script(before=before).splitlines()
    step = lines.index("            optimizer.step()")
    loop = lines.index("        for x, y in loader:")
    lines[step + 1 : step + 1] = [
        *(f"            {line}" for line in inside.splitlines()),
        *(f"        {line}" for line in after.splitlines()),
    ]
    lines[loop:loop] = [f"        {line}" for line in first.splitlines()]
    return "\n".join(lines) + "\n"


def given_back(returned: str, caller: str) -> str:
    """A function that trains for an epoch and returns something, and what its caller does with that."""
    return f"""\
import torch
from torch import nn
from torch.utils.data import DataLoader

def epoch_of(model, loader, optimizer):
    total, n = 0.0, 0
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * x.size(0)
        n += x.size(0)
    return {returned}

def main():
    model = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=4)
    for epoch in range(3):
        {caller}

if __name__ == "__main__":
    main()
"""
