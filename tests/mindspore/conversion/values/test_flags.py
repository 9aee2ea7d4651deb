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


def trained(*given: str) -> tuple[str, ...]:
    """Further optimizers of these parameters."""
    return tuple(f"other = torch.optim.Adam({one}, lr=0.1)" for one in given)


OF_MODULES = trained(
    "list(net.parameters())",
    "params=net.parameters()",
    "filter(lambda p: p.ndim > 1, net.parameters())",
    "[*net.parameters(), *head.parameters()]",
    "list(net.parameters()) + list(head.parameters())",
    "itertools.chain(net.parameters(), head.parameters())",
    "[p for p in net.parameters() if p.ndim > 1]",
    "[p for one in nets for p in one.parameters()]",
    "(p for name, p in net.named_parameters() if 'bias' in name)",
    "[{'params': net.parameters(), 'lr': rate}, {'params': (p for p in head.parameters())}]",
)
TRAINED = trained(
    "list(net.parameters()) + [x]",
    "[*net.parameters(), x]",
    "itertools.chain(net.parameters(), [x])",
    "[{'params': net.parameters()}, {'params': [x]}]",
    "[{'params': net.parameters()}, group]",
    "[x for p in net.parameters()]",
    "list(net.parameters()) + others",
    "with_more(net.parameters())",
    "*given",
    "others if alone else net.parameters()",
)


@pytest.mark.parametrize("line", OF_MODULES)
def test_it_goes_where_only_modules_are_trained(line: str) -> None:
    answer = converted(f"import itertools\n{TEXT}{line}\n")
    assert "torch.randn(2, 2, requires_grad=True)" not in answer.blockers


@pytest.mark.parametrize(
    "line",
    [
        "print(x.grad)",
        "torch.autograd.grad(loss, x)",
        "other = torch.optim.SGD([x], lr=0.1)",
        "x.register_hook(print)",
        "print(x.requires_grad)",
        "optimizer.add_param_group({'params': [x]})",
        "optimizer.add_param_group(group)",
        *TRAINED,
    ],
)
def test_it_stays_where_somebody_asks(line: str) -> None:
    assert "torch.randn(2, 2, requires_grad=True)" in converted(f"{TEXT}{line}\n").blockers
