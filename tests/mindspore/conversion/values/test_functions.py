"""Functions with gradients of their own."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low):
        ctx.save_for_backward(x)
        ctx.low = low
        return x.clamp(min=low)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > ctx.low).float(), None


def clip(x):
    return Clip.apply(x, 0.5)
"""


def test_a_function_keeps_both_of_its_ways() -> None:
    text = converted(TEXT).text
    assert "class Clip(ms._Function):\n" in text
    assert "    def forward(ctx, x, low):\n" in text and "    def backward(ctx, grad):\n" in text
    assert "return grad * (x > ctx.low).float(), None\n" in text


@pytest.mark.parametrize(
    ("layer", "line", "is_tensor"),
    [
        ("GRU", "out, h = self.rnn(x)\n        return out.squeeze(1)", True),
        ("GRU", "out, h = self.rnn(x)\n        return h.squeeze(1)", True),
        ("LSTM", "out, (h, c) = self.rnn(x)\n        return out.squeeze(1)", True),
        ("LSTM", "out, (h, c) = self.rnn(x)\n        return h.squeeze(1)", False),
        ("LSTM", "out, h = self.rnn(x)\n        return h.squeeze(1)", False),
    ],
)
def test_what_a_recurrent_layer_gives_first_is_a_tensor(layer: str, line: str, is_tensor: bool) -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        f"        super().__init__()\n        self.rnn = nn.{layer}(3, 4)\n\n"
        f"    def forward(self, x):\n        {line}\n"
    )
    assert (converted(text).blockers == {}) is is_tensor


GIVING = """\
import torch


class Meter:
    def give(self, x):
        GIVES

    def run(self):
        values = self.give(torch.ones(3))
        USES
"""


@pytest.mark.parametrize(
    ("gives", "uses", "is_tensor"),
    [
        ("return {'a': x.exp(), 'b': x}", "return [one.mean() for one in values.values()]", True),
        ("return {'a': x.exp(), 'b': x}", "return [one.mean() for _, one in values.items()]", True),
        ("return {'a': x.exp(), 'b': 3}", "return values['a'].mean()", True),
        ("a = {'a': x.exp()}\n        a['b'] = x\n        return a", "return values['b'].mean()", True),
        ("return x.exp(), x", "one, other = self.give(torch.ones(3))\n        return other.mean()", True),
        ("return {'a': x.exp(), 'b': 3}", "return [one.mean() for one in values.values()]", False),
        ("return {'a': x.exp(), 'b': 3}", "return values['b'].mean()", False),
        ("return {'a': x.exp(), **other}", "return [one.mean() for one in values.values()]", False),
        ("return x.exp(), 3", "one, other = self.give(torch.ones(3))\n        return other.mean()", False),
    ],
)  # fmt: skip
def test_what_methods_give_is_followed(gives: str, uses: str, is_tensor: bool) -> None:
    text = GIVING.replace("GIVES", gives).replace("USES", uses)
    assert (converted(text).blockers == {}) is is_tensor


OWN_MODULE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.last = nn.GRU(3, 4), nn.Linear(4, 2)

    def forward(self, x, state):
        out, state = self.rnn(x, state)
        return RETURNED


net = Net()
out, state = net(torch.ones(1, 2, 3), None)
print(out.argmax(1))
"""


@pytest.mark.parametrize(
    ("returned", "is_tensor"),
    [("self.last(out), state", True), ("out, state", True), ("x.tolist(), state", False), ("found", False)],
)
def test_what_modules_of_the_file_give_together(returned: str, is_tensor: bool) -> None:
    assert (converted(OWN_MODULE.replace("RETURNED", returned)).blockers == {}) is is_tensor


def test_a_function_gives_tensors_of_a_type_together() -> None:
    made = "def made():\n    return torch.FloatTensor([1]), torch.LongTensor([2])\n\n"
    text = f"import torch\n\n\n{made}\nx, y = made()\nprint(x.mean(), y.squeeze(0))\n"
    assert converted(text).blockers == {}
