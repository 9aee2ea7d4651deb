"""Layers that are used in some calls only would be moved by an optimizer in the others, too.

From 2.9 on, the program finds out which are; what an older release gets is refused.
"""

from __future__ import annotations

import pytest

from ...converting import Converted
from ...converting import converted as converted_for

HEAD = """import random

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth, extra):
        super().__init__()
        self.depth = depth
        self.extra = extra
        self.one = nn.Linear(3, 3)
        self.two = nn.Linear(3, 3)
        self.drop = nn.Dropout(0.1)
        self.blocks = nn.ModuleList([nn.Linear(3, 3) for _ in range(depth)])

    def forward(self, x, task, mask=None, deep=False):
"""


def converted(text: str) -> Converted:
    return converted_for(text, mindspore_version="2.8.0")


def reasons(body: str, behind: str = "") -> set[str]:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return set(converted(f"{HEAD}{lines}\n{behind}").blockers.items())


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("return self.blocks[task](x)", ["self.blocks[task]"]),
        ("chosen = task % 2\nreturn self.blocks[chosen](x)", ["self.blocks[chosen]"]),
        ("if task == 1:\n    return self.one(x)\nreturn self.two(x)", ["self.one", "self.two"]),
        ("if task:\n    x = self.one(x)\nreturn self.two(x)", ["self.one"]),
        ("if random.random() < 0.5:\n    x = self.one(x)\nreturn self.two(x)", ["self.one"]),
        ("return self.one(x) if task > 1 else self.two(x)", ["self.one", "self.two"]),
        ("for i in x:\n    if task:\n        x = self.two(i)\nreturn self.one(x)", ["self.two"]),
        ("if self.extra:\n    return self.one(x) if task == 1 else x\nreturn x", ["self.one"]),
        ("if args.fast:\n    return self.one(x) if task == 1 else x\nreturn x", ["self.one"]),
        ("if FAST:\n  if self.extra:\n    if task:\n      x = self.one(x)\nreturn x", ["self.one"]),
        ("if self.extra:\n  x = x + 1\nelse:\n  if task:\n    x = self.one(x)\nreturn x", ["self.one"]),
        ("if self.extra:\n    x = self.one(x)\nif task:\n    x = self.one(x)\nreturn x", ["self.one"]),
        ("if self.extra:\n    if task:\n        return x\nreturn self.one(x)", ["self.one"]),
        ("return (self.one(x) if task else x) if self.extra else self.two(x)", ["self.one"]),
        ("for _ in range(random.randint(0, 3)):\n    x = self.one(x)\nreturn self.two(x)", ["self.one"]),
        ("n = random.randint(0, 3)\nfor _ in range(n):\n    x = self.one(x)\nreturn x", ["self.one"]),
        ("with timer:\n    if task:\n        x = self.one(x)\nreturn x", ["self.one"]),
        ("try:\n    if task:\n        x = self.one(x)\nfinally:\n    x = x + 1\nreturn x", ["self.one"]),
    ],
)  # fmt: skip
def test_a_layer_that_some_calls_leave_out_keeps_the_file(body: str, places: list[str]) -> None:
    assert reasons(body) == {(one, "partly") for one in places}


@pytest.mark.parametrize(
    "body",
    [
        "return self.two(self.one(x))",
        "if task == 1:\n    return self.two(self.one(x))\nreturn self.one(self.two(x))",
        "if self.extra:\n    x = self.one(x)\nreturn self.two(x)",
        "if self.extra is not None and mask is not None:\n    x = self.one(x)\nreturn self.two(x)",
        "if x.shape[1] > 2:\n    x = self.one(x)\nreturn self.two(x)",
        "if deep:\n    x = self.one(x)\nreturn self.two(x)",
        "if self.training:\n    x = self.one(x)\nreturn self.two(x)",
        "if task:\n    x = self.drop(x)\nreturn self.two(x)",
        "for i in range(self.depth):\n    x = self.blocks[i](x)\nreturn self.blocks[-1](x)",
        "return self.one(x) if self.extra else self.two(x)",
        "if self.extra:\n    return self.one(x) + self.two(x)\nreturn x",
        "if self.extra:\n x = self.one(x)\nelif task:\n x = self.two(x)\nelse:\n x = self.two(-x)\nreturn x",
        "if self.extra:\n    x = self.one(x) if task else self.one(x + 1)\nreturn x",
        "if self.extra:\n    if task:\n        x = self.one(x)\n    x = self.one(x)\nreturn x",
    ],
)
def test_what_every_call_uses_or_none_is_converted(body: str) -> None:
    assert reasons(body) == set()


def test_a_layer_with_an_optimizer_of_its_own_is_converted() -> None:
    body = "if task:\n    x = self.one(x)\nreturn self.two(x)"
    behind = "\n\nnet = Net(2, True)\nsecond = torch.optim.SGD(net.one.parameters(), lr=0.1)\n"
    assert ("self.one", "partly") in reasons(body) and ("self.one", "partly") not in reasons(body, behind)


STEP = """import torch
from torch import nn
from torch.nn import functional as F

body, one, two = nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(4, 2)
every = [*body.parameters(), *one.parameters(), *two.parameters()]
opt = torch.optim.SGD(every, lr=0.1, momentum=0.9)
y, chosen = torch.zeros(4, 2), True
body.train()
for i in range(4):
    x = torch.zeros(4, 3)
    opt.zero_grad()
    if {condition}:
        loss = F.mse_loss(one(body(x)), y)
    else:
        loss = F.mse_loss(two(body(x)), y)
    loss.backward()
    opt.step()
"""


def test_a_model_that_some_turns_leave_out_keeps_the_file() -> None:
    assert converted(STEP.format(condition="i % 2")).blockers["one"] == "partly"


def test_a_model_that_a_setting_leaves_out_is_none_of_these() -> None:
    found = [converted(STEP.format(condition=one)).blockers.values() for one in ("chosen", "i % 2")]
    assert ["partly" in reasons for reasons in found] == [False, True]


@pytest.mark.parametrize(
    ("before", "condition"), [("chosen = True", "epoch % 2"), ("late = epoch % 2", "late")]
)
def test_a_turn_is_one_of_all_the_loops_around_a_step(before: str, condition: str) -> None:
    head, loop, body = STEP.format(condition=condition).partition("for i in range(4):\n")
    steps = "".join(f"    {line}\n" for line in (loop + body).splitlines())
    assert converted(f"{head}for epoch in range(2):\n    {before}\n{steps}").blockers["one"] == "partly"


LISTED = """import torch
from torch import nn

nets = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
opt = torch.optim.SGD({given}.parameters(), lr=0.1)
for i in range(4):
    x = torch.randn(2, 3)
    opt.zero_grad()
    loss = nets[0](x).sum() if i % 2 else nets[1](x).sum()
    if i > 2:
        loss = nets[0](x).sum()
    loss.backward()
    opt.step()
"""


def test_a_model_of_a_list_with_an_optimizer_of_its_own_is_none_of_these() -> None:
    of_all, of_one = (converted(LISTED.format(given=given)).blockers for given in ("nets", "nets[0]"))
    assert of_all["nets[0]"] == "partly" and of_one.get("nets[0]") != "partly"


@pytest.mark.parametrize(
    ("given", "is_refused"),
    [
        ("net.one.parameters()", False),
        ("list(net.one.parameters()) + list(net.two.parameters())", True),
        ("[{'params': net.one.parameters(), 'lr': 1.0}, {'params': net.two.parameters()}]", True),
        ("[*net.one.parameters(), *net.two.parameters()]", True),
    ],
)
def test_a_group_of_an_optimizer_is_none_of_a_layer_of_its_own(given: str, is_refused: bool) -> None:
    behind = f"\n\nnet = Net(2, True)\nsecond = torch.optim.SGD({given}, lr=0.1)\n"
    body = "if task:\n    x = self.one(x)\nreturn self.two(x)"
    assert (("self.one", "partly") in reasons(body, behind)) is is_refused


def test_parameters_that_are_clipped_have_no_optimizer_by_that() -> None:
    behind = "\n\nnet = Net(2, True)\nnn.utils.clip_grad_norm_(net.one.parameters(), 1.0)\n"
    assert ("self.one", "partly") in reasons("if task:\n    x = self.one(x)\nreturn self.two(x)", behind)


@pytest.mark.parametrize(("given", "is_refused"), [("net.blocks", True), ("net.blocks[0]", False)])
def test_of_layers_that_are_picked_each_needs_an_optimizer(given: str, is_refused: bool) -> None:
    behind = f"\n\nnet = Net(2, True)\nsecond = torch.optim.SGD({given}.parameters(), lr=0.1)\n"
    found = reasons("return self.blocks[task](x)", behind)
    assert (("self.blocks[task]", "partly") in found) is is_refused
