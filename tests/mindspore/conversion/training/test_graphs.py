"""Whether the statements of a step compute all that gradients are taken of."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted

TEXT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 5)
        self.head = nn.Linear(5, 2)

    def forward(self, x):
        return self.head(x)


def main(data):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in data:
        codes = net.encoder(x)
        for turn in range(1):
            optimizer.zero_grad()
            loss = net(codes).sum()
            loss.backward()
            optimizer.step()
"""
CODES = "codes = net.encoder(x)"


def test_a_graph_that_was_made_before_an_inner_loop_keeps_the_file() -> None:
    assert converted(TEXT).blockers == {"loss.backward()": "step-outside"}


@pytest.mark.parametrize(
    "codes",
    [
        "codes = net.encoder(x).detach()",
        "with torch.no_grad():\n            codes = net.encoder(x)",
        "codes = torch.tanh(x)",
    ],
    ids=["detached", "without gradients", "of data"],
)
def test_it_does_not_where_it_has_no_gradients(codes: str) -> None:
    assert converted(TEXT.replace(CODES, codes)).blockers == {}


def test_it_does_not_where_the_inner_loop_computes_it() -> None:
    text = TEXT.replace(f"        {CODES}\n", "").replace("net(codes)", "net(net.encoder(x))")
    assert converted(text).blockers == {}


KEPT = {
    "a list": ("[]", "kept.append(loss)", "sum(kept)"),
    "an item": ("{0: 0}", "kept[0] += loss", "kept[0]"),
}


@pytest.mark.parametrize(("made", "put", "read"), KEPT.values(), ids=KEPT)
def test_a_graph_that_a_container_keeps_for_later_keeps_the_file(made: str, put: str, read: str) -> None:
    head, _, _ = TEXT.partition("    for x")
    text = f"""{head}    kept = {made}
    for i, x in enumerate(data):
        optimizer.zero_grad()
        loss = net(x).sum()
        {put}
        if i % 2:
            both = {read}
            both.backward()
            optimizer.step()
"""
    assert "both.backward()" in converted(text).blockers
    assert not converted(text.replace("+= loss", "+= loss.item()").replace(read, "net(x).sum()")).blockers
