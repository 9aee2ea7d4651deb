"""A statement stays before the function of which gradients are taken only where it certainly reads data."""

from __future__ import annotations

import pytest

from ...converting import converted

TEXT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.alphas = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(3)])

    def forward(self, x):
        return self.fc(x)


def train(net: Net, loader, alphas):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    {before}
    for {loop}:
        w = {value}
{between}        loss = ((net(loader[0]) * w - 1) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def is_inside(loop: str, value: str = "a * 2", before: str = "pass", between: str = "") -> bool:
    """Whether the statement is part of the function of which gradients are taken."""
    done = converted(TEXT.format(loop=loop, value=value, before=before, between=between))
    assert done.blockers == {}
    return done.text.index("w = ") > done.text.index("def compute_loss(")


@pytest.mark.parametrize(
    ("loop", "before"),
    [
        ("a in net.alphas", "pass"),
        ("a in alphas", "pass"),
        ("i, a in enumerate(net.alphas)", "pass"),
        ("a, x in zip(net.alphas, loader)", "pass"),
        ("a, x in pairs", "pairs = list(zip(net.alphas, loader))"),
        ("a in both", "both = [net.alphas[0], net.alphas[1]]"),
    ],
)
def test_what_a_loop_gives_may_be_a_weight(loop: str, before: str) -> None:
    assert is_inside(loop, before=before)


def test_a_list_may_hold_a_weight() -> None:
    assert is_inside("x, y in loader", "both[0] * 2", "both = (net.alphas[0], 2)")


def test_a_part_of_the_model_stays_where_something_else_stands_between() -> None:
    assert is_inside("x, y in loader", "net.alphas[0] * 2", between='        print("step")\n')


@pytest.mark.parametrize(
    "loop",
    ["a in range(3)", "a, x in enumerate(net.alphas)", "x, a in loader", "i, (x, a) in enumerate(loader)"],
)
def test_numbers_and_batches_are_data(loop: str) -> None:
    assert not is_inside(loop)


def test_a_weight_before_what_cannot_move_is_not_left_behind() -> None:
    done = converted(
        TEXT.format(loop="a in net.alphas", value="a * 2", before="pass", between="        pass\n")
    )
    assert "loss.backward()" in done.blockers


BATCHES = """\
import time

import torch
from torch import nn

net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
last = torch.zeros(4, 2)
for i in range(3):
    real = torch.randn(4, 2)
    first = net(real)
    {between}
    loss = (first - net({given})).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
HEAD = "    def compute_loss("


@pytest.mark.parametrize(
    ("between", "given"),
    [
        ("noise = torch.randn(4, 2)", "noise"),
        ("# a batch\n    noise = torch.randn(4, 2)", "noise"),
        ("rows = torch.ones(4, 2)\n    noise = rows * 2", "noise"),
        ("noise = torch.randn(\n        4, 2)", "noise"),
    ],
)
def test_a_batch_between_two_calls_is_made_before(between: str, given: str) -> None:
    text = converted(BATCHES.format(between=between, given=given)).text
    before, _, function = text.partition(HEAD)
    assert before.rstrip().endswith(("randn(4, 2)", "4, 2)", "rows * 2"))
    assert function.startswith("):\n        first = net(real)\n        loss = (first - net(noise)).mean()\n")
    assert before.count("# a batch") == between.count("# a batch")


@pytest.mark.parametrize(
    ("between", "given"),
    [
        ("noise = torch.zeros(first.size(0), 2)", "noise"),
        ("noise = torch.ones(4, 2)\n    noise[0] = first.mean()", "noise"),
        ("real = torch.randn(4, 2)", "real"),
        ("noise = torch.randn(4, 2)\n    noise = noise * first", "noise"),
        ("start = time.time()", "real"),
        ("scale = 2; noise = torch.randn(4, 2)", "noise"),
    ],
)
def test_what_goes_with_the_calls_stays_between_them(between: str, given: str) -> None:
    answer = converted(BATCHES.format(between=between, given=given))
    name = between.partition(" =")[0]
    assert answer.blockers == {} and f"        {name} = " in answer.text.partition(HEAD)[2]


def test_a_compiled_step_is_given_the_batch_that_is_made_before() -> None:
    text = converted(BATCHES.format(between="noise = torch.randn(4, 2)", given="noise"), graph=True).text
    before, _, function = text.partition(HEAD)
    assert before.endswith("    noise = ops.randn(4, 2)\n") and function.startswith("real, noise):\n")


def test_a_batch_that_is_made_in_two_statements_is_made_before() -> None:
    text = BATCHES.format(between="scale = 2", given="real").replace(
        "    first", "    real = real * 2\n    first"
    )
    assert "    real = real * 2\n    scale = 2\n    def compute_loss():\n" in converted(text).text


def test_what_is_taken_in_turn_stays_in_its_order() -> None:
    text = BATCHES.format(between="noise = rows.pop()", given="noise").replace(
        "last =", "rows = [1.0, 2.0]\nlast ="
    )
    assert "        noise = rows.pop()\n" in converted(text).text.partition(HEAD)[2]


READING = """\
import torch
from torch import nn

net = nn.Linear(4, 1)
rate = 0.1
scale = torch.ones(1)
optimizer = torch.optim.SGD(net.parameters(), rate)


def made(x):
    MADE


def train(loader):
    net.train()
    for x, y in loader:
        w = made(x)
        loss = ((net(x) + w - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("made", "inside"),
    [
        ("return torch.norm(net.weight)", True),
        ("return x * 2 + torch.sum(net.bias)", True),
        ("return x.sum() * scale", True),
        ("return x * rate", False),
        ("return torch.ones(3) * x", False),
    ],
)
def test_a_function_that_reads_more_than_it_is_given_may_read_weights(made: str, inside: bool) -> None:
    done = converted(READING.replace("MADE", made))
    assert done.blockers == {}
    assert (done.text.index("w = made(x)") > done.text.index("def compute_loss(")) is inside
