"""What a transplant of AMP must make of a text, and why it declines one."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.amp.to_apex.transplant import transplanted
from gpu2ascend_rules.codemods.codemod import Declined
from gpu2ascend_rules.messages import LANGUAGES, render

HEAD = """\
import torch
from torch.cuda.amp import GradScaler, autocast
"""
SET_UP = """\
model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
scaler = GradScaler()
"""
NEW_HEAD = """\
import torch
from apex import amp
"""
NEW_SET_UP = """\
model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
model, optimizer = amp.initialize(model, optimizer, opt_level="O1", loss_scale="dynamic")
"""
LOOP = """\
for x, y in loader:
    with autocast():
        loss = criterion(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""
NEW_LOOP = """\
for x, y in loader:
    loss = criterion(model(x), y)
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    optimizer.step()
"""


def carried(text: str, model: str) -> str:
    return transplanted(text, model).text


def reason(text: str, model: str = "model") -> str:
    with pytest.raises(Declined) as raised:
        carried(dedent(text), model)
    for language in LANGUAGES:
        assert render(raised.value.reason, language)
    return raised.value.reason.id.rpartition(".")[2]


IN_MAIN = """\
def main(args):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = GradScaler(enabled=args.amp)
    with autocast(enabled=args.amp):
        loss = model(x)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""
