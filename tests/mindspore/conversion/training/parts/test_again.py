"""A graph that ``backward`` keeps is of no use where nothing reaches it again; else the step is left."""

from __future__ import annotations

import pytest

from ...converting import converted

TEXT = """\
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x, h):
        return torch.tanh(self.inner(x + h))


def main(data):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    h = torch.zeros(3)
    for x in data:
        out = net(x, h)
        loss = out.sum()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        print(loss.item())
"""


def test_a_graph_that_nothing_reaches_again_is_not_kept() -> None:
    answer = converted(TEXT)
    assert answer.blockers == {}
    assert "backward" not in answer.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        out = net(x, h)\n", "        out = net(x, h)\n        h = out\n"),
        ("        print(", "        losses.append(loss)\n        print("),
        ("torch.tanh(self.inner(x + h))", "self.step(x, h)\n\n    def step(self, x, h):\n        self.h = x"),
        ("    net = Net()\n", "    net = make()\n"),
        ("import torch.nn as nn\n", "import torch.nn as nn\nfrom .states import state\n"),
    ],
    ids=["carried", "kept in a list", "kept by the model", "of an unknown model", "of the project"],
)
def test_a_graph_that_may_be_reached_again_keeps_the_file(before: str, after: str) -> None:
    assert before in TEXT
    assert "step-call" in converted(TEXT.replace(before, after)).blockers.values()
