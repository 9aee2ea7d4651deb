"""What uses show of a value: methods are converted where they show a tensor or a module."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted


def function(body: str, parameters: str = "x, y=None") -> str:
    """A function of unknown parameters, in a file that uses PyTorch."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"import torch\n\n\ndef f({parameters}):\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "return x.sum(dim=1) + x.mean()",
        "return torch.sigmoid(x) * x.mean()",
        "return x.exp() + x.mean()",
        "if isinstance(x, torch.Tensor):\n    return x.mean()\nreturn None",
        "return x.mean() if torch.is_tensor(x) else x",
        "x = tuple([each.data for each in x])\nreturn x",
        "y = torch.nn.L1Loss()(y, x.float())\nreturn x.mean()",
    ],
    ids=[
        "a dimension",
        "a function of tensors",
        "a method of tensors",
        "a test",
        "a choice",
        "data of data",
        "cast for a loss",
    ],
)
def test_a_parameter_is_a_tensor_where_its_uses_show_one(body: str) -> None:
    assert "mean" not in converted(function(body)).blockers
    assert "torch" not in converted(function(body)).text


@pytest.mark.parametrize(
    "body",
    [
        "return x.mean()",
        "return x.sum(axis=1) + x.mean()",
        "return x.mean(dim='time')",
        "return torch.pow(x, torch.ones(1)) + x.mean()",
        "if isinstance(x, torch.Tensor):\n    x = y\n    return x.mean()\nreturn None",
        "return y if torch.is_tensor(x) else x.mean()",
        "x['a'] = 1\nreturn x.exp() + x.mean()",
    ],
    ids=["nothing", "an axis", "a name", "a number", "another value", "the other choice", "a dictionary"],
)
def test_a_parameter_is_of_unknown_class_where_its_uses_fit_others(body: str) -> None:
    told = converted(function(body))
    assert "receiver" in told.blockers.values() and told.text == function(body)


LOOP = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4)])

    def forward(self, x):
        x = x.flatten(1).transpose(0, 1)
        for block in self.blocks:
            x = x + block(x)
        return x.mean(dim=1)
"""


def test_what_blocks_make_of_a_tensor_in_a_loop_is_one() -> None:
    told = converted(LOOP)
    assert told.blockers == {} and "nn.CellList" in told.text


TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model, rate):
        self.model = model.to("cpu")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=rate)

    def validate(self, x):
        self.model.eval()
        return self.model(x)
"""


def test_what_a_class_keeps_is_a_module_where_its_methods_use_it_as_one() -> None:
    told = converted(TRAINER)
    assert told.blockers == {}
    assert "self.model.trainable_params()" in told.text and "self.model.set_train(False)" in told.text


def test_what_another_class_does_with_its_own_says_nothing() -> None:
    text = f"{TRAINER}\n\nclass Other:\n    def show(self):\n        self.model.eval()\n"
    assert converted(text).blockers == {"self.model.eval": "receiver"}


METHODS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def decode(self, z):
        if z is None:
            return torch.zeros(4)
        return torch.sigmoid(self.layer(z))


net = Net()
print(net.decode(torch.ones(1, 4)).mean().item())
"""


def test_what_an_own_method_returns_is_a_tensor_where_all_it_returns_is() -> None:
    assert converted(METHODS).blockers == {}
    told = converted(METHODS.replace("torch.zeros(4)", "(1, 2)"))
    assert "receiver" in told.blockers.values()


def test_what_moves_a_module_gives_the_module() -> None:
    told = converted(function("x.train()\nx.to('cpu').eval()\nreturn x(y)"))
    assert told.blockers == {} and "x.set_train(False)" in told.text


def test_an_optimizer_is_no_module_because_it_loads_a_state() -> None:
    load = "x.load_state_dict(y)\nx.train(True)"
    assert "x.train" in converted(function(load)).blockers
    assert "x.train" not in converted(function(f"{load}\nprint(list(x.parameters()))")).blockers


def test_a_transposition_without_arguments_shows_a_tensor() -> None:
    head = "import torch\n\n\ndef f(a):\n"
    assert converted(f"{head}    return (a.t() * 2).std()\n").blockers == {}
    assert converted(f"{head}    return (a.t('key') * 2).std()\n").blockers != {}


def test_an_array_is_made_of_a_tensor_alone() -> None:
    text = "import torch\n\ndef f(ys):\n    return [y.cpu().numpy() for y in ys]\n\nx = torch.ones(2)\n"
    assert "return [y.asnumpy() for y in ys]" in converted(text).text


def test_what_every_call_gives_a_function_as_a_module_is_one() -> None:
    text = """\
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        return x.exp()

def evaluate(net):
    net.eval()

CALLS
"""
    assert converted(text.replace("CALLS", "evaluate(Net())")).blockers == {}
    net = "net = Net()\nevaluate(net)\nevaluate(torch.nn.Linear(2, 2))"
    assert converted(text.replace("CALLS", net)).blockers == {}
    assert converted(text.replace("CALLS", "evaluate(Net())\nevaluate(other)")).blockers != {}
