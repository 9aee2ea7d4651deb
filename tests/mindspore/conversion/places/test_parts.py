"""Parts that a mask or a tensor gives are set in a new tensor there: what shares memory keeps its values."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\n\n\ndef change(x: torch.Tensor, mask: torch.Tensor, i):\n"


def reasons(body: str) -> set[str]:
    return set(converted(HEAD + "".join(f"    {line}\n" for line in body.splitlines())).blockers.values())


@pytest.mark.parametrize(
    "body",
    [
        "x.view(-1)[mask] = 0\nreturn x",
        "x.T[mask > 1] = 0\nreturn x",
        "x[0].flatten()[mask] += 1\nreturn x",
        "flat = x.view(-1)\nflat[mask] = 0\nreturn x",
        "first = x[0]\nx[mask] = 0\nreturn first",
        "first = x.t()\nx[[0, 1]] = 0\nreturn first",
        "y = x\nfirst = x[0]\ny[mask] = 0\nreturn first",
        "for _ in range(3):\n    print(first)\n    first = x[0]\n    x[mask] = 0",
    ],
)
def test_a_part_that_another_name_would_see_keeps_the_file(body: str) -> None:
    assert reasons(body) == {"part"}


@pytest.mark.parametrize(
    "body",
    [
        "x[mask] = 0\nreturn x",
        "x[0][mask] = 0\nreturn x",
        "x.view(-1)[3] = 0\nreturn x",
        "flat = x.view(-1)\nflat[mask] = 0\nreturn flat",
        "y = torch.zeros(6).view(2, 3)\ny[mask] = 0\nreturn torch.relu(y)",
        "first = x[0]\nx[1:, 2] = 0\nreturn first",
        "first = x[0].clone()\nx[mask] = 0\nreturn first",
        "first = x[0]\nprint(first)\nx[mask] = 0\nreturn x",
        "y = x\nx[mask] = 0\nreturn y",
        "x = x.view(-1)\nx[mask] = 0\nreturn x",
        "for _ in range(3):\n    y = x + 1\n    flat = y.view(-1)\n    flat[mask] = 0\n    print(flat)",
    ],
)
def test_what_no_other_name_sees_is_converted(body: str) -> None:
    assert reasons(body) == set()


MODULE = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, inputs):
        x = self.linear(inputs)
"""


def reasons_in_module(body: str) -> set[str]:
    return set(
        converted(MODULE + "".join(f"        {line}\n" for line in body.splitlines())).blockers.values()
    )


@pytest.mark.parametrize(
    "body",
    [
        "x.view(-1)[3] = 0\nreturn x",
        "flat = x.view(-1)\nflat[3] = 0\nreturn x",
        "turned = x.t()\nx[0] = 0\nreturn turned",
    ],
)
def test_a_view_in_a_module_shares_nothing_where_gradients_are_taken(body: str) -> None:
    assert reasons_in_module(body) == {"part"}


@pytest.mark.parametrize(
    "body",
    [
        "first = x[0]\nx[0, 1] = 0\nreturn first",
        "x = x.view(-1)\nx[3] = 0\nreturn x",
        "flat = x.view(-1)\nflat[3] = 0\nreturn flat",
        "turned = x.t().clone()\nx[0] = 0\nreturn turned",
    ],
)
def test_a_part_by_an_index_and_what_nobody_else_reads_is_set_there(body: str) -> None:
    assert reasons_in_module(body) == set()


LOSS = """\
import torch
from torch import nn


def penalty(out):
    out = out * 2
    out.view(-1)[0] = 0
    return CALL


def train(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model.train()
    for x in loader:
        optimizer.zero_grad()
        loss = penalty(model(x))
        loss.backward()
        optimizer.step()


def mean(out):
    return out.mean()
"""


def test_a_view_in_a_function_that_a_loss_calls_shares_nothing_either() -> None:
    assert "part" in converted(LOSS.replace("CALL", "out.mean()")).blockers.values()


def test_a_view_in_a_function_that_no_loss_calls_is_one() -> None:
    text = LOSS.replace("CALL", "out.mean()").replace("penalty(model", "mean(model")
    assert "part" not in converted(text).blockers.values()
