"""Training with mixed precision enabled goes where it goes in float32: by the CPU's autocast and scaler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend_rules.codemods.amp.enable import Precision, with_amp

pytestmark = pytest.mark.execution

STEPS = 50
SCRIPTS = sorted((Path(__file__).parent / "enabled" / "samples").glob("*.py"))
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
    "on one line": """
y = x.sum(1, keepdim=True)
optimizer = torch.optim.SGD(model.parameters(), 0.05)
for step in range(STEPS):
    optimizer.zero_grad(); loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward(); torch.nn.utils.clip_grad_value_(model.parameters(), 0.1); optimizer.step()
""",
    "a phase that may train": """
y = x.sum(1, keepdim=True)
criterion = torch.nn.SmoothL1Loss()
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for step in range(STEPS):
    for phase in ["val", "train"]:
        with torch.set_grad_enabled(phase == "train"):
            outputs = model(x)
            loss = criterion(outputs, y)
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
""",
    "a trainer with a function for the loss": """
class Trainer:
    def __init__(self, net):
        self.net = net
        self.optim = torch.optim.Adam(self.net.parameters(), 0.01)

    def compute_loss(self, x, y):
        return torch.nn.functional.mse_loss(self.net(x), y)

    def clip(self):
        for p in self.net.parameters():
            if p.grad is not None:
                p.grad.data.clamp_(-0.5, 0.5)

    def update(self, x, y):
        loss = self.compute_loss(x, y)
        self.optim.zero_grad()
        loss.backward()
        self.clip()
        self.optim.step()
        return loss

trainer = Trainer(model)
for step in range(STEPS):
    loss = trainer.update(x, x.sum(1, keepdim=True))
""",
    "functions that get everything, and an output with its loss": """
from types import SimpleNamespace
y = x.sum(1, keepdim=True)
class Wrapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = model
    def forward(self, x, y):
        out = self.inner(x)
        return SimpleNamespace(loss=torch.nn.functional.mse_loss(out, y))
def train_epoch(net, opt):
    net.train()
    for i in range(5):
        outputs = net(x, y)
        outputs.loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        opt.zero_grad()
    return outputs.loss
net = Wrapped()
opt = torch.optim.Adam(net.parameters(), 0.01)
for epoch in range(STEPS // 5):
    loss = train_epoch(net, opt)
""",
    "two optimizers, one more rarely": """
y = x.sum(1, keepdim=True)
head = torch.nn.Linear(1, 1)
opt_body, opt_head = None, None
opt_body = torch.optim.Adam(model.parameters(), 0.01)
opt_head = torch.optim.Adam(head.parameters(), 0.01)
for step in range(STEPS):
    opt_body.zero_grad()
    opt_head.zero_grad()
    loss = torch.nn.functional.mse_loss(head(model(x)), y)
    loss.backward()
    opt_body.step()
    if step % 5 == 0:
        opt_head.step()
""",
    "a list of optimizers": """
y = x.sum(1, keepdim=True)
optimizers = [torch.optim.Adam(part.parameters(), 0.01) for part in model if list(part.parameters())]
for step in range(STEPS):
    model.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
""",
    "an adversary": """
netG = model
netD = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
netD.append(torch.nn.Sigmoid())
criterion = torch.nn.BCELoss()
real = torch.randn(256, 1) + 3
optimizerD = torch.optim.Adam(netD.parameters(), 0.002)
optimizerG = torch.optim.Adam(netG.parameters(), 0.002)
for step in range(STEPS):
    netD.zero_grad()
    label = torch.ones(256)
    output = netD(real).view(-1)
    errD_real = criterion(output, label)
    errD_real.backward()
    fake = netG(x)
    label.fill_(0)
    output = netD(fake.detach()).view(-1)
    errD_fake = criterion(output, label)
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    label.fill_(1)
    output = netD(fake).view(-1)
    errG = criterion(output, label)
    errG.backward()
    optimizerG.step()
loss = errG
""",
    "a loss of the project's that computes with probabilities": """
import torch.nn.functional as F
class Mixed(torch.nn.Module):
    def forward(self, p, t):
        return F.binary_cross_entropy(p, t, reduction="mean") + 0.1 * (1 - (p * t).mean())
y = (x.sum(1, keepdim=True) > 0).float()
model = torch.nn.Sequential(model, torch.nn.Sigmoid())
criterion = Mixed()
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for step in range(STEPS):
    loss = criterion(model(x), y) if step % 2 else criterion(model(x), y) * 1
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
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


@pytest.fixture(autouse=True)
def _refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU's autocast casts what those of the GPU and the NPU refuse; here it refuses it, too."""
    torch = pytest.importorskip("torch")
    plain = torch.nn.functional.binary_cross_entropy

    def refused(*args: Any, **kwargs: Any) -> Any:
        assert not torch.is_autocast_enabled("cpu"), "binary_cross_entropy is unsafe to autocast"
        return plain(*args, **kwargs)

    monkeypatch.setattr(torch.nn.functional, "binary_cross_entropy", refused)


def last_loss(code: str) -> float:
    names: dict[str, Any] = {"STEPS": STEPS}
    exec(compile(code, "train.py", "exec"), names)
    return float(names["loss"].detach())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_after_50_steps_the_loss_is_within_a_tenth_of_that_in_float32(loop: str) -> None:
    before = HEAD + loop
    after = with_amp(before, "model", ON_THE_CPU).text
    assert "torch.amp.autocast('cpu')" in after and "torch.amp.GradScaler('cpu')" in after
    assert last_loss(after) == pytest.approx(last_loss(before), rel=0.1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_in_the_style_of_others_goes_where_it_goes_in_float32(script: Path) -> None:
    before = script.read_text(encoding="utf-8")
    after = with_amp(before, "model", ON_THE_CPU)
    assert not after.declined and ".scale(" in after.text
    assert last_loss(after.text) == pytest.approx(last_loss(before), rel=0.1)
