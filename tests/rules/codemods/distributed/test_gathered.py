"""What batches leave behind under their own keys, or in buffers, is that of one process, and is named."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted


def said(in_loop: str, before: str = "pass", module: str = "nn.Linear(2, 4)", more: str = "") -> list[str]:
    """What is said of a script that trains, with statements in its loop and before it."""
    text = f"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

{more}
def main():
    model = {module}.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, 4)
    {before}
    for epoch in range(3):
        for i, (x, y, index) in enumerate(loader):
            out = model(x.cuda())
            loss = F.cross_entropy(out, y)
            loss.backward()
            optimizer.step()
            {in_loop}

main()
"""
    return [item for item in converted(text).left if item in ("NPU427.share", "NPU427.kept")]


@pytest.mark.parametrize(
    "statement",
    [
        "hardness[index.numpy()] = loss.item()",
        "seen[index] = 1",
        "sums.setdefault(0); sums[y] = 0; sums[y] += loss.item()",
        "self.seen[index] += 1",
        "seen.index_add_(0, y, ones)",
        "matrix.index_put_((y, out.argmax(1)), ones, accumulate=True)",
        "for t, p in zip(y.tolist(), out.argmax(1).tolist()): matrix[t, p] += 1",
    ],
)
def test_what_is_stored_by_keys_of_batches(statement: str) -> None:
    assert said(statement) == ["NPU427.share"]


@pytest.mark.parametrize(
    "statement",
    [
        "history[epoch] = i",
        "rows[i] = epoch",
        "x[y] = 0",
        "x[:, index] = 0",
        "hot = torch.zeros(4, 3); hot[index] = 1",
        "rows[len(x)] = 1",
    ],
)
def test_what_is_not(statement: str) -> None:
    assert said(statement) == []


NORM = """
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x):
        {update}
        return x - self.mean

"""


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ("self.mean = 0.9 * self.mean + 0.1 * x.mean(0)", ["NPU427.kept"]),
        ("m = x.mean(0); self.mean.mul_(0.9).add_(m, alpha=0.1)", ["NPU427.kept"]),
        ("self.mean[0] = x.max()", ["NPU427.kept"]),
        ("self.mean = self.mean.to(x.device)", []),
        ("self.mean.add_(1)", []),
        ("mean = x.mean(0)", []),
        ("self.mean = self.mean[: x.size(1)]", []),
    ],
)
def test_buffers_that_follow_the_batches(update: str, expected: list[str]) -> None:
    assert said("pass", module="Norm()", more=NORM.format(update=update)) == expected


GENERATOR = """
def steps(model, optimizer, loader):
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        yield loss.detach()

"""


def test_lists_of_what_a_training_generator_yields() -> None:
    before = "losses = [loss for loss in steps(model, optimizer, loader)]"
    assert said("pass", before, more=GENERATOR) == ["NPU427.share"]
    assert said("pass", "for loss in steps(model, optimizer, loader): pass", more=GENERATOR) == []


MEMORY = """
class Memory:
    def __init__(self):
        self.rows, self.next, self.seen = torch.zeros(8, 4), 0, 0

    def update(self, {given}):
        {stored}

    def negatives(self):
        return self.rows

"""


@pytest.mark.parametrize(
    ("given", "stored", "call"),
    [
        ("index, z", "self.rows[index] = z", "memory.update(index, out.detach())"),
        ("z", "old = z * 2; self.rows[self.next] = old", "memory.update(out)"),
        ("z", "self.rows.append(z)", "memory.update(z=out)"),
    ],
)
def test_an_object_that_keeps_what_it_is_given(given: str, stored: str, call: str) -> None:
    more, made = MEMORY.format(given=given, stored=stored), "memory = Memory()"
    assert said(call, made, more=more) == ["NPU427.share"]
    assert said(f"{call}; hard = memory.negatives()", made, more=more) == ["NPU427.kept"]
    assert said(f"hard = {call}", made, more=more) == ["NPU427.kept"]


@pytest.mark.parametrize(
    ("given", "stored", "call"),
    [
        ("n", "self.seen = n", "memory.update(out)"),
        ("n", "self.rows[0] = n", "memory.update(epoch)"),
        ("n", "self.rows.append(n)", "memory.update(out.mean().item())"),
        ("z", "rows = []; rows.append(z)", "memory.update(out)"),
        ("z", "self.rows.append(z.mean().item())", "memory.update(out)"),
    ],
)
def test_an_object_that_keeps_nothing_of_batches(given: str, stored: str, call: str) -> None:
    assert said(call, "memory = Memory()", more=MEMORY.format(given=given, stored=stored)) == []
