"""AMP in programs that use apex, and in models that compute their own loss."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.amp.from_apex import native_amp
from gpu2ascend_rules.codemods.amp.module import Declined
from gpu2ascend_rules.messages import LANGUAGES, render
from tests.rules.codemods.amp.enabling import AMP, BACK, MADE, enabled, reason

APEX = """\
import torch
from apex import amp
model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
# mixed
model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
for x, y in loader:
    loss = criterion(model(x), y)
    with amp.scale_loss(loss / 2, optimizer) as scaled_loss:
        scaled_loss.backward()
    torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
    optimizer.step()
torch.save({"amp": amp.state_dict()}, "checkpoint.pt")
"""
NATIVE = """\
import torch
model = Net()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scaler = torch_npu.npu.amp.GradScaler()
# mixed
for x, y in loader:
    with torch_npu.npu.amp.autocast():
        loss = criterion(model(x), y)
    scaler.scale(loss / 2).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
torch.save({"amp": scaler.state_dict()}, "checkpoint.pt")
"""


def test_apex_becomes_native() -> None:
    assert native_amp(APEX, "model", AMP) == NATIVE


def test_a_static_scale_stays_static_and_a_condition_holds_for_both() -> None:
    text = native_amp(APEX.replace('"O1"', '"O1", loss_scale=128, enabled=fp16'), "model", AMP)
    assert "GradScaler(init_scale=128.0, dynamic=False, enabled=fp16)" in text
    assert "autocast(enabled=fp16)" in text


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"O1"', '"O2"', "level"),
        ('"O1"', "args.level", "level"),
        ('"O1"', '"O1", keep_batchnorm_fp32=True', "argument"),
        ('"O1"', '"O1", loss_scale=args.scale', "argument"),
        ("amp.scale_loss(loss / 2, optimizer) as", "amp.scale_loss as", "scale-loss"),
        ("scaled_loss.backward()", "scaled_loss.backward(); log(scaled_loss)", "scale-loss"),
        (
            "model, optimizer = amp.initialize(model",
            "model, optimizer = amp.initialize([model]",
            "initialize",
        ),
        ("amp.state_dict()", "amp.float_function(f)", "other"),
    ],
)
def test_what_apex_does_otherwise_is_declined(old: str, new: str, key: str) -> None:
    with pytest.raises(Declined) as raised:
        native_amp(APEX.replace(old, new), "model", AMP)
    assert raised.value.reason.id == f"amp.native.declined.{key}"
    for language in LANGUAGES:
        assert render(raised.value.reason, language)


NET = """\
class Net(torch.nn.Module):
    def fit(self, x):
        optimizer = torch.optim.SGD(self.parameters(), 0.1)
        loss = {run}.mean()
        loss.backward()
        optimizer.step()
"""
UNDER = "        with torch_npu.npu.amp.autocast():\n            loss = {run}.mean()\n"


@pytest.mark.parametrize("run", ["self(x)", "self.forward(x)"])
def test_a_model_that_trains_itself_runs_by_its_own_call(run: str) -> None:
    assert UNDER.format(run=run) in enabled("import torch\n" + NET.format(run=run), "none")


def test_other_methods_of_such_a_model_are_no_forward_pass() -> None:
    assert reason("import torch\n" + NET.format(run="self.draw(x)"), "none") == "forward"


@pytest.mark.parametrize("run", ["model(x)", "model.forward(x)", "model.encode(x)", "model.head.encode(x)"])
def test_a_model_runs_by_any_method_that_computes(run: str) -> None:
    text = f"import torch\n{MADE}for x in d:\n    loss = {run}\n    {BACK}    o.step()\n"
    assert f"    with {AMP}.autocast():\n        loss = {run}\n" in enabled(text)


def test_a_method_that_computes_nothing_is_no_forward_pass() -> None:
    text = f"import torch\n{MADE}for x in d:\n    loss = model.to(x)\n    {BACK}    o.step()\n"
    assert reason(text) == "forward"
