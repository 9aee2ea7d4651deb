"""``requires_grad=True`` of a tensor of data goes where nobody asks for its gradient."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch

net = torch.nn.Linear(2, 2)
x = torch.randn(2, 2, requires_grad=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(x).mean()
"""


def test_it_goes_where_nobody_asks() -> None:
    answer = converted(TEXT)
    assert answer.blockers == {} and "x = ops.randn(2, 2)\n" in answer.text


@pytest.mark.parametrize(
    "line",
    [
        "print(x.grad)",
        "torch.autograd.grad(loss, x)",
        "other = torch.optim.SGD([x], lr=0.1)",
        "x.register_hook(print)",
        "print(x.requires_grad)",
    ],
)
def test_it_stays_where_somebody_asks(line: str) -> None:
    assert "torch.randn(2, 2, requires_grad=True)" in converted(f"{TEXT}{line}\n").blockers
