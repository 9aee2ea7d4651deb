"""Methods that others than tensors have are theirs where the arguments show it."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted

TEXT = "import torch\n\n\ndef f(x):\n    return torch.ones(1), {call}\n"


@pytest.mark.parametrize("call", ["x.split()", "x.split(',')", "x.split('a' 'b')", "x.max('name')"])
def test_arguments_that_no_tensor_takes_show_a_text(call: str) -> None:
    assert converted(TEXT.format(call=call)).blockers == {}


@pytest.mark.parametrize("call", ["x.split(3)", "x.split(*y)", "x.split(sep)", "x.max()", "x.norm('fro')"])
def test_arguments_that_a_tensor_takes_leave_it_open(call: str) -> None:
    told = converted(TEXT.format(call=call))
    assert list(told.blockers.values()) == ["receiver"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y.data.numpy()", "ops.stop_gradient(y).asnumpy()"),
        ("torch.max(y, 1)[1].data.numpy()", "ops.stop_gradient(ops.max(y, 1)[1]).asnumpy()"),
        ("y.max(1)[1].squeeze()", "y.max(dim=1)[1].squeeze()"),
        ("names[y.data[0]]", "names[ops.stop_gradient(y)[0]]"),
        ("(y == 1).numpy().astype(int).sum()", "(y == 1).asnumpy().astype(int).sum()"),
        ("pairs.sort(key=len)", "pairs.sort(key=len)"),
        ("image.resize((3, 3), Image.LANCZOS)", "image.resize((3, 3), Image.LANCZOS)"),
    ],
)
def test_what_a_module_gives_is_read(before: str, after: str) -> None:
    head = "import torch\nfrom torch import nn\n\nnet = nn.Linear(3, 2)\ny = net(torch.ones(2, 3))\n"
    answer = converted(f"{head}print({before})\n")
    assert answer.blockers == {}
    assert f"print({after})" in answer.text


def test_a_part_that_a_sequence_adds_to_itself_by_name_keeps_the_file() -> None:
    text = (
        "from torch import nn\n\n\nclass Net(nn.Sequential):\n    def __init__(self):\n        super().__init__()\n"
        "        self.add_module('one', nn.Linear(3, 3))\n"
    )
    assert "no-target" in converted(text).blockers.values()
    assert converted(text.replace("nn.Sequential", "nn.Module")).blockers == {}


def test_a_train_of_its_own_is_the_cause_where_it_sets_modes_of_parts() -> None:
    text = (
        "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.body = nn.BatchNorm1d(2)\n\n"
        "    def train(self, mode=True):\n        super().train(mode)\n        self.body.eval()\n"
        "        return self\n\n    def forward(self, x):\n        return self.body(x)\n"
    )
    assert converted(text).blockers == {"super().train": "mode-of-parts"}


RESET = """import torch
from torch import nn


def reset(model):
    for layer in model.children():
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()
"""


def test_weights_that_are_drawn_anew_are_refused_because_a_cell_would_keep_them() -> None:
    assert converted(RESET).blockers == {"layer.reset_parameters": "no-target"}
    own = "\n\nclass Net(nn.Module):\n    def reset_parameters(self):\n        pass\n"
    assert converted(RESET + own).blockers == {}


PARTS = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = nn.Sequential()
        layers.add_module(NAME, nn.Linear(2, 2))
        self.layers = layers
"""


@pytest.mark.parametrize("name", ["'first'", "'layer{}'.format(2)", "f'layer {2}'"])
def test_a_part_of_a_sequence_is_appended_where_nobody_asks_for_its_name(name: str) -> None:
    assert "        layers.append(nn.Dense(2, 2))\n" in converted(PARTS.replace("NAME", name)).text


def test_a_part_of_a_sequence_that_is_asked_for_by_its_name_is_refused() -> None:
    read = PARTS.replace("NAME", "'first'") + "        self.other = layers.first\n"
    assert "no-target" in converted(read).blockers.values()
    computed = PARTS.replace("NAME", "f'layer{2}'") + "        self.other = getattr(layers, name)\n"
    assert "no-target" in converted(computed).blockers.values()
