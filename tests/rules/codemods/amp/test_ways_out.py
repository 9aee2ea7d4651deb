"""Gradients that are unscaled must be stepped on: the next step could not unscale them again."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.amp.module import Declined
from tests.rules.codemods.amp.test_enable import enabled

LOOP = """\
import torch
from torch.nn.utils import clip_grad_norm_
model = Net().cuda()
o = torch.optim.SGD(model.parameters())
def train():
    for x in loader:
        loss = model(x).sum()
        o.zero_grad()
        loss.backward()
        {}
        o.step()
"""
CLIP = "norm = clip_grad_norm_(model.parameters(), 1.0)\n        "


@pytest.mark.parametrize("way", ["continue", "break", "return"])
def test_a_step_that_is_passed_by_after_gradients_were_looked_at_is_declined(way: str) -> None:
    with pytest.raises(Declined) as declined:
        enabled(LOOP.format(f"{CLIP}if norm > 1:\n            {way}"))
    assert declined.value.reason.id == "amp.enable.declined.left-early"


@pytest.mark.parametrize(
    "lines",
    [
        f"{CLIP}if norm > 1:\n            raise ValueError",
        f"{CLIP}for p in names:\n            if p:\n                break",
        "if bad(loss):\n            continue\n        clip_grad_norm_(model.parameters(), 1.0)",
    ],
)
def test_a_step_that_follows_for_certain_is_scaled(lines: str) -> None:
    assert "scaler.unscale_(o)" in enabled(LOOP.format(lines))
