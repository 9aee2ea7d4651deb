"""Reproducible training: seeds, generators, random states."""
import os
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


def run(seed):
    seed_everything(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    body = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2))
    model = nn.ModuleList([body, nn.Linear(32, 2)]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    generator = torch.Generator(device="cuda").manual_seed(seed)
    x = torch.randn(64, 8, device=device, generator=generator)
    y = torch.randint(0, 2, (64,), device=device, generator=generator)
    losses = []
    for _ in range(10):
        hidden = checkpoint(model[0], x, use_reentrant=False)
        loss = F.cross_entropy(model[1](hidden), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model, loss, losses


def main():
    model, loss, losses = run(3)
    assert losses == run(3)[2]
    assert losses != run(4)[2]

    state = torch.cuda.get_rng_state("cuda:0")
    first = torch.rand(2, device="cuda")
    torch.cuda.set_rng_state(state, device="cuda:0")
    assert torch.equal(first, torch.rand(2, device="cuda"))
    with torch.random.fork_rng(devices=[torch.cuda.current_device()], device_type="cuda"):
        inside = torch.rand(2, device="cuda")
    assert torch.equal(inside, torch.rand(2, device="cuda"))
    assert torch.cuda.default_generators[0].device == torch.device("cuda", 0)
    assert isinstance(torch.cuda.initial_seed(), int)
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
