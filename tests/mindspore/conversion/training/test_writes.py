"""Statements that write into tensors, between the first use of a model and ``backward``."""

from __future__ import annotations

import pytest

from ..converting import converted, is_refused_step

TEXT = """import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in data:
    {made}
    {used}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
USED = [
    "y = net(codes)\n    labels[:, 0] = -1\n    loss = (y * labels).sum()",
    "if x.mean() > 0:\n        labels[0] = 0\n        loss = (net(codes) * labels).sum()\n"
    "    else:\n        loss = net(codes).sum()",
]


@pytest.mark.parametrize("used", USED, ids=["a line", "a branch"])
@pytest.mark.parametrize(
    "made",
    ["codes, labels = torch.tanh(x), x[:, 1:].clone()", "codes = torch.tanh(x)\n    labels = codes + 1"],
    ids=["pairs", "computed"],
)
def test_they_move_along_where_this_turn_made_the_tensor(made: str, used: str) -> None:
    text = TEXT.format(made=made, used=used).replace("data:", "torch.zeros(4, 3):")
    assert converted(text).blockers == {}


def test_they_stay_outside_where_it_was_made_before_the_loop() -> None:
    text = converted(TEXT.format(made="codes = torch.tanh(x)", used=USED[0])).text
    assert "\n    labels[:, 0] = -1\n" in text


def test_they_do_not_into_a_graph() -> None:
    made = "codes, labels = torch.tanh(x), x[:, 1:].clone()"
    text = TEXT.format(made=made, used=USED[0]).replace("data:", "torch.zeros(4, 3):")
    assert is_refused_step(converted(text, graph=True))


@pytest.mark.parametrize(
    "used",
    [
        "y = net(x)\n    flat = y.view(-1)\n    flat[0] = 3.0\n    loss = y.pow(2).sum()",
        "y = net(x)\n    rows = y.t()\n    y[0] = 3.0\n    loss = rows.pow(2).sum()",
        "y = net(x)\n    while y.sum() > 9:\n        y[0] = 3.0\n    loss = y.pow(2).sum()",
    ],
    ids=["through a view", "beside a view", "in a while loop"],
)
def test_a_step_is_refused_whose_loss_would_not_see_them(used: str) -> None:
    text = TEXT.format(made="x = x + 1", used=used).replace("data:", "torch.zeros(4, 3):")
    assert is_refused_step(converted(text))


def test_they_move_through_a_view_that_alone_is_read_later() -> None:
    used = "y = net(x)\n    flat = y.view(-1)\n    flat[0] = 3.0\n    loss = flat.pow(2).sum()"
    text = TEXT.format(made="x = x + 1", used=used).replace("data:", "torch.zeros(4, 3):")
    assert converted(text).blockers == {}
