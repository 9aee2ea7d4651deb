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


@pytest.mark.parametrize(
    ("base", "owner"), [("nn.Module", "layers"), ("nn.Sequential", "self"), ("nn.Module", "self.layers")]
)
def test_a_part_that_is_added_to_a_sequence_by_name_is_called_in_its_turn(base: str, owner: str) -> None:
    text = (
        f"from torch import nn\n\n\nclass Net({base}):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layers = layers = nn.Sequential()\n        OWNER.add_module('one', nn.Linear(3, 3))\n"
    )
    found = converted(text.replace("OWNER", owner)).text
    assert f"like_torch.add_module({owner}, 'one', nn.Dense(3, 3))" in found
    assert (
        "setattr(self, 'one', "
        in converted(text.replace("nn.Sequential", "nn.Module").replace("OWNER", "self")).text
    )


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
