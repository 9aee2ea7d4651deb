"""Modules that a step calls and no optimizer trains: in training, as in torch, if nothing switches them."""

from __future__ import annotations

import pytest

from ...converting import converted

HEAD = """\
import copy
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def build():
    return Net()


net = Net()
"""
STEP = """\
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in [torch.ones(2, 4)]:
    optimizer.zero_grad()
    loss = ((net(x) - other(x).detach()) ** 2).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("made", ["Net()", "build()", "copy.deepcopy(net)", "nn.BatchNorm1d(4)"])
def test_what_is_made_here_is_in_training(made: str) -> None:
    assert "\nother.set_train()\n" in converted(f"{HEAD}other = {made}\n{STEP}").text


SWITCHED = ("other = Net()\nother.eval()", "net.eval()\nother = copy.deepcopy(net)")


@pytest.mark.parametrize("lines", SWITCHED)
def test_what_is_switched_stays_as_it_was_switched(lines: str) -> None:
    text = converted(f"{HEAD}{lines}\nnet.train()\n{STEP}").text
    assert "set_train(False)" in text and "\nother.set_train()\n" not in text


def test_what_is_handed_over_may_have_been_switched_elsewhere() -> None:
    step = "".join(f"    {line}\n" for line in STEP.splitlines())
    text = converted(f"{HEAD}def train(other: nn.Module):\n{step}").text
    assert "net.set_train()" in text and "other.set_train()" not in text
