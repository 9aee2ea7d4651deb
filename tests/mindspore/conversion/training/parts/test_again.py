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
EXPRESSION = """\
        optimizer.zero_grad()
        net(x, h).sum().backward(retain_graph=True)
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("        print(", "        seen.append(out.mean().item())\n        print("),
        (TEXT[TEXT.index("        out = ") :], EXPRESSION),
        (
            "        return torch.tanh(self.inner(x + h))\n",
            "        kept = []\n        kept.append(self.inner(x + h))\n        return torch.tanh(kept[0])\n",
        ),
    ],
    ids=["as it is", "a number is kept", "a loss without a name", "a list of a function's own"],
)
def test_a_graph_that_nothing_reaches_again_is_not_kept(before: str, after: str) -> None:
    answer = converted(TEXT.replace(before, after) if before else TEXT)
    assert answer.blockers == {}
    assert "backward" not in answer.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        out = net(x, h)\n", "        out = net(x, h)\n        h = out\n"),
        ("        out = net(x, h)\n", "        out = net(x, h)\n        h = 0.5 * h + out\n"),
        ("    for x in data:\n", "    h = net(data[0], h)\n    for x in data:\n"),
        ("        print(", "        losses.append(loss)\n        print("),
        ("torch.tanh(self.inner(x + h))", "self.step(x, h)\n\n    def step(self, x, h):\n        self.h = x"),
        (
            "torch.tanh(self.inner(x + h))",
            "self.step(x)\n\n    def step(self, x):\n        self.seen.append(x)\n        return x",
        ),
        ("def main(data):\n", "SEEN = []\n\n\ndef keep(x):\n    SEEN.append(x)\n\n\ndef main(data):\n"),
        (
            "    net = Net()\n",
            "    net, seen = Net(), []\n    net.register_forward_hook(lambda net, x, y: seen.append(y))\n",
        ),
        ("    net = Net()\n", "    net = make()\n"),
        ("import torch.nn as nn\n", "import torch.nn as nn\nfrom .states import state\n"),
    ],
    ids=[
        *("carried", "carried beside", "made before", "kept in a list", "kept by the model"),
        *("in a list of the model", "by a function", "by a hook", "of an unknown model", "of the project"),
    ],
)
def test_a_graph_that_may_be_reached_again_keeps_the_file(before: str, after: str) -> None:
    assert before in TEXT
    assert "step-kept" in converted(TEXT.replace(before, after)).blockers.values()
