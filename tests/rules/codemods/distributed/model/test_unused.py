"""A wrapper waits for the gradients of all parameters, unless it knows that a step may leave some out."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted


def knows(init: str, forward: str, call: str = "out = model(x.cuda())", loss: str = "out.mean()") -> bool:
    """Whether the wrapper looks for parameters without a gradient."""
    text = f"""
import torch
from torch import nn
from torch.utils.data import DataLoader

class Net(nn.Module):
    def __init__(self, aux=True):
        super().__init__()
        self.has_b = aux
        self.a = nn.Linear(2, 2)
        {init}
    def forward(self, x, more=False):
        {forward}
    def helped(self, x):
        return self.b(x)

def main():
    model = Net().cuda()
    loader = DataLoader(data, 4)
    for epoch in range(3):
        for x in loader:
            {call}
            loss = {loss}
            loss.backward()

main()
"""
    return "find_unused_parameters=True" in converted(text).text


B = "self.b = nn.Linear(2, 2)"
HEADS = "self.b = nn.ModuleDict({'first': nn.Linear(2, 2), 'second': nn.Linear(2, 2)})"


@pytest.mark.parametrize(
    ("init", "forward", "is_left_out"),
    [
        (B, "return self.b(self.a(x))", False),
        (B, "return self.helped(self.a(x))", False),
        (B, "return self.a(x)", True),
        ("self.b = nn.Parameter(torch.zeros(2))", "return self.a(x)", True),
        (B, "return self.b(self.a(x)) if more else self.a(x)", True),
        (
            "self.b = nn.Linear(2, 2) if aux else None",
            "return self.a(x if self.b is None else self.b(x))",
            False,
        ),
        (f"if self.has_b: {B}", "return self.b(self.a(x)) if self.has_b else self.a(x)", False),
        (B, "return getattr(self, 'b')(self.a(x))", False),
        (B, "return self.b(self.a(x).detach() if more else self.a(x))", True),
        (B, "with torch.no_grad(): x = self.a(x)\n        return self.b(x)", True),
        (HEADS, "return self.b[more](self.a(x))", True),
        (HEADS, "return self.b[self.number(more)](self.a(x))", True),
        (HEADS, "return self.b['first'](self.b['second'](self.a(x)))", False),
        (HEADS, "return sum(self.b[name](self.a(x)) for name in ('first', 'second'))", False),
    ],
)
def test_parts_that_forward_does_not_use_or_not_always(init: str, forward: str, is_left_out: bool) -> None:
    assert knows(init, forward) is is_left_out


@pytest.mark.parametrize(
    ("call", "loss", "is_left_out"),
    [
        ("out, other = model(x.cuda())", "(out + other).mean()", False),
        ("out, _ = model(x.cuda())", "out.mean()", True),
        ("out = model(x.cuda())", "out[0].mean()", True),
    ],
)
def test_outputs_that_the_loss_does_not_use(call: str, loss: str, is_left_out: bool) -> None:
    assert knows(B, "return self.a(x), self.b(x)", call, loss) is is_left_out


@pytest.mark.parametrize(
    ("init", "loss"),
    [("self.b = nn.Parameter(torch.zeros(2))", "(out * model.b).mean()"), (B, "model.b(out).mean()")],
)
def test_parts_that_a_step_itself_uses_are_not_left_out(init: str, loss: str) -> None:
    assert not knows(init, "return self.a(x)", loss=loss)
