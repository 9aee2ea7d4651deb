"""Modules are in training from where they are made, as in torch; a cell would be in evaluation."""

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
        self.fc = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))

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


FORWARD_ONLY = "other(torch.ones(2, 4))\n"
HOLDER = """\
class Pair:
    def __init__(self):
        self.q, self.k = 1, Net()
        self.k = Net()

    def __call__(self, x):
        return self.k(x)
"""
PARTS = """\
def block():
    return nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(block(), nn.Dropout(0.5))

    def forward(self, x):
        return self.body(x)


deep = Deep()
"""


@pytest.mark.parametrize("made", ["Net()", "nn.BatchNorm1d(4)", "nn.Sequential(nn.Dropout(0.5))"])
@pytest.mark.parametrize("use", [STEP, FORWARD_ONLY])
def test_what_is_made_here_is_in_training(made: str, use: str) -> None:
    text = converted(f"{HEAD}other = {made}\n{use}").text
    assert "\nnet = Net().set_train()\n" in text
    assert [one for one in text.splitlines() if one.startswith("other = ") and one.endswith(").set_train()")]


@pytest.mark.parametrize("made", ["build()", "copy.deepcopy(net)"])
def test_what_has_the_mode_of_another_keeps_it(made: str) -> None:
    text = converted(f"{HEAD}other = {made}\n{STEP}").text
    assert f"other = {made}\n" in text and "return Net().set_train()" in text


def test_what_a_plain_class_holds_is_in_training() -> None:
    assert "self.k = Net().set_train()" in converted(f"{HEAD}{HOLDER}").text


def test_parts_are_switched_with_the_whole() -> None:
    text = converted(f"{HEAD}{PARTS}").text
    assert "deep = Deep().set_train()" in text
    assert text.count("set_train") == 3  # with net, and what build returns


def test_what_computes_the_same_in_both_modes_stays_as_it_is() -> None:
    assert "other = nn.Dense(4, 4)\n" in converted(f"{HEAD}other = nn.Linear(4, 4)\n{FORWARD_ONLY}").text


SWITCHED = ("other = Net()\nother.eval()", "net.eval()\nother = copy.deepcopy(net)")


@pytest.mark.parametrize("lines", SWITCHED)
def test_what_is_switched_stays_as_it_was_switched(lines: str) -> None:
    text = converted(f"{HEAD}{lines}\nnet.train()\n{STEP}").text
    assert "set_train(False)" in text and "\nother.set_train()\n" not in text


FROZEN = """\
class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dropout(0.5)
        self.fc.eval()

    def forward(self, x):
        return self.fc(x)


frozen = Frozen()
"""


WHOLE = """\
class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.frozen = Frozen()


holder = Holder()
"""


def test_a_class_that_switches_parts_as_it_is_made_begins_in_training_before_that() -> None:
    text = converted(f"{HEAD}{FROZEN}").text
    assert "        self.set_train()\n        self.fc.set_train(False)\n" in text
    assert "Frozen().set_train()" not in text


def test_it_is_left_to_a_person_where_more_is_made_behind_that_or_it_is_part_of_another() -> None:
    later = FROZEN.replace("self.fc.eval()", "self.fc.eval()\n        self.last = nn.Dropout(0.5)")
    derived = FROZEN.replace("frozen = Frozen()", "class More(Frozen):\n    pass\n\n\nmore = More()")
    for text in (later, derived, f"{FROZEN}{WHOLE}"):
        assert set(converted(f"{HEAD}{text}").blockers.values()) == {"mode"}
    assert not converted(f"{HEAD}{FROZEN.replace('self.fc.eval()', 'self.n = 1')}{WHOLE}").blockers


def test_what_is_handed_over_may_have_been_switched_elsewhere() -> None:
    step = "".join(f"    {line}\n" for line in STEP.splitlines())
    text = converted(f"{HEAD}def train(other: nn.Module):\n{step}").text
    assert "net = Net().set_train()" in text and "other.set_train()" not in text


@pytest.mark.parametrize(
    ("otherwise", "begins"), [("", True), ("    else:\n        net.train()\n", False)], ids=["if", "else"]
)
def test_what_is_switched_under_a_condition_begins_in_training(otherwise: str, begins: bool) -> None:
    text = f"{HEAD}for i in range(3):\n    if i > 1:\n        net.eval()\n{otherwise}    net(x)\n"
    answer = converted(text)
    assert ("net = Net().set_train()\n" in answer.text) is begins
