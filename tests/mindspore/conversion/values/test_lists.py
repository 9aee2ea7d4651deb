"""Elements of lists, wherever the file makes and changes the list."""

from __future__ import annotations

import pytest

from ..converting import converted

MODULES = """\
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        weights = torch.softmax(self.linear(x), -1)
        return x * weights, weights


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(2)])

    def forward(self, x):
        kept, others = [], []
        for layer in self.layers:
            x, weights = layer(x)
            kept.append(weights)
        return x, kept


net = Net()
y, every = net(torch.ones(2, 3))
"""
SHOW = """\
def show(weights):
    weights = weights[-1].squeeze(0)
    print(weights.numpy())


show(every)
"""
LISTED = """\
import torch


def f(names):
    kept = []
    kept.append(torch.ones(2))
    return kept[0].squeeze(0)
"""


def is_converted(text: str) -> bool:
    return not converted(text).blockers


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("print(every[-1].squeeze(0))\n", id="that a module returns beside others"),
        pytest.param(SHOW, id="that a function is given, under a name that it binds anew"),
    ],
)
def test_a_list_of_tensors_is_followed(use: str) -> None:
    assert is_converted(MODULES + use)


def test_a_module_that_a_loop_draws_is_one_of_its_list() -> None:
    assert is_converted(MODULES.replace("kept.append(weights)", "kept.append(weights.squeeze(0))"))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("every.append('a text')\n", id="another element"),
        pytest.param("every += others\n", id="elements of another list"),
        pytest.param("def add(some):\n    some.append('a text')\nadd(every)\n", id="what a function adds"),
        pytest.param("import other\nother.add(every)\n", id="what is done elsewhere"),
        pytest.param("some = every\nsome.append('a text')\n", id="what another name adds"),
        pytest.param("box = {'some': every}\nbox['some'].append('a text')\n", id="what a holder adds"),
        pytest.param("def add(some):\n    some += ['a text']\nadd(every)\n", id="what a function joins"),
        pytest.param(
            "def same(some):\n    return some\nsame(every).append('a text')\n", id="what is added to a result"
        ),
    ],
)
def test_a_list_that_may_get_other_elements_is_not(change: str) -> None:
    assert is_converted(f"{MODULES}print(every[-1].squeeze(0))\n")
    assert not is_converted(f"{MODULES}{change}print(every[-1].squeeze(0))\n")


def test_another_name_that_only_reads_a_list_changes_nothing() -> None:
    assert is_converted(f"{MODULES}some = every\nprint(len(some), every[-1].squeeze(0))\n")


def test_a_name_that_a_loop_draws_may_get_another_module_behind() -> None:
    kept = MODULES.replace("kept.append(weights)", "kept.append(weights.squeeze(0))")
    other = "            if x.mean() > 0:\n                layer = Other()\n            x, weights = layer(x)"
    text = "from elsewhere import Other\n" + kept.replace("            x, weights = layer(x)", other)
    assert not is_converted(text)


def test_another_name_of_a_list_shows_nothing() -> None:
    assert is_converted(LISTED)
    assert not is_converted(LISTED.replace("kept = []", "kept = names"))


def test_what_a_layer_of_a_given_module_computes_is_a_tensor() -> None:
    text = f"{MODULES}def of(model, x):\n    y = model.linear(x)\n    return y.squeeze(0)\nof(Layer(), y)\n"
    assert is_converted(text)
