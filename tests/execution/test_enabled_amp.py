"""Training with mixed precision enabled goes where it goes in float32: by the CPU's autocast and scaler."""

from __future__ import annotations

from typing import Any

import pytest

from gpu2ascend_rules.codemods.amp.enable import Precision, with_amp

pytestmark = pytest.mark.execution

STEPS = 50
ON_THE_CPU = Precision("torch.amp", "'cpu'", "'cpu'")
HEAD = """
import torch
torch.manual_seed(0)
x = torch.randn(256, 8)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
"""
LOOPS = {
    "plain": """
y = x.sum(1, keepdim=True)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), 0.01)
for step in range(STEPS):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
""",
    "gradients clamped by hand": """
y = x.sum(1, keepdim=True)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), 0.05)
for step in range(STEPS):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.grad.clamp_(-0.1, 0.1)
    optimizer.step()
""",
    "accumulated, clipped by norm": """
y = x.sum(1, keepdim=True)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for step in range(2 * STEPS):
    loss = criterion(model(x), y) / 2
    loss.backward()
    if step % 2:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
""",
    "a loss of probabilities": """
y = (x.sum(1, keepdim=True) > 0).float()
model = torch.nn.Sequential(model, torch.nn.Sigmoid())
criterion = torch.nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for step in range(STEPS):
    output = model(x)
    loss = criterion(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
}


def last_loss(code: str) -> float:
    names: dict[str, Any] = {"STEPS": STEPS}
    exec(compile(code, "train.py", "exec"), names)
    return float(names["loss"].detach())


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_after_50_steps_the_loss_is_within_a_tenth_of_that_in_float32(loop: str) -> None:
    pytest.importorskip("torch")
    before = HEAD + loop
    after = with_amp(before, "model", ON_THE_CPU)
    assert "torch.amp.autocast('cpu')" in after and "torch.amp.GradScaler('cpu')" in after
    assert last_loss(after) == pytest.approx(last_loss(before), rel=0.1)
