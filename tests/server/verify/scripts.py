"""Migrated scripts that train on the device, for mistakes to be made in."""

from __future__ import annotations

_NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 16)
        self.last = nn.Linear(16, 2)
        self.register_buffer("scale", torch.ones(16))

    def forward(self, x):
        hidden = self.first(x)
        hidden = hidden * self.scale
        hidden = hidden * 1.0
        return self.last(torch.relu(hidden))
"""

SINGLE = f"""\
import os

import numpy as np
import torch
import torch.nn as nn
import torch_npu


{_NET}

def main():
    torch_npu.npu.set_device(0)
    device = torch.device("npu:0")
    model = Net().to(device)
    weights = torch.ones(2, device=device)
    criterion = nn.CrossEntropyLoss(weight=weights)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
        x = x.to(device)
        y = y.to(device)
        logits = model(x)
        loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        torch_npu.npu.synchronize()
        optimizer.step()


if __name__ == "__main__":
    main()
"""

METRICS = """\
import math

import numpy as np
import torch
import torch.nn as nn
import torch_npu


def main():
    device = torch.device("npu:0")
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    average = torch.zeros(2, device=device)
    history = torch.zeros(0, device=device)
    for step in range(4):
        order = torch.randperm(8)
        x = torch.randn(8, 4)[order].to(device)
        noise = torch.randn(8, 4, device=device)
        logits = model(x + noise)
        loss = logits.square().mean()
        average = average.lerp(logits.detach().mean(0), 0.1)
        history = torch.cat([history, loss.detach().view(1)])
        shown = loss.detach().cpu().numpy()
        print(step, shown)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch_npu.npu.empty_cache()


if __name__ == "__main__":
    main()
"""

CHECKPOINT = """\
import io
import zipfile

import torch
import torch.nn as nn
import torch_npu


def save_as_from_cuda(state, path):
    plain = io.BytesIO()
    torch.save(state, plain)
    with zipfile.ZipFile(plain) as given, zipfile.ZipFile(path, "w") as made:
        for item in given.infolist():
            data = given.read(item)
            if item.filename.endswith("data.pkl"):
                data = data.replace(b"X\\x03\\x00\\x00\\x00cpu", b"X\\x06\\x00\\x00\\x00cuda:0")
            made.writestr(item.filename, data)


def main():
    device = torch.device("npu:0")
    model = nn.Linear(4, 2)
    save_as_from_cuda(model.state_dict(), "of_cuda.pt")
    state = torch.load("of_cuda.pt", map_location="cpu")
    model.load_state_dict(state)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        loss = model(torch.randn(8, 4, device=device)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""

DISTRIBUTED = """\
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch_npu
from torch.nn.parallel import DistributedDataParallel


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch_npu.npu.set_device(rank)
    device = torch.device("npu", rank)
    dist.init_process_group("hccl")
    net = nn.Linear(4, 2).to(device)
    model = DistributedDataParallel(net, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        loss = model(torch.randn(8, 4, device=device)).square().mean()
        total = torch.ones(1, device=device)
        dist.all_reduce(total)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""
