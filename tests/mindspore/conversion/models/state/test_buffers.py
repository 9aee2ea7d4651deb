"""Buffers that get another value."""

from __future__ import annotations

from ...converting import converted

TEXT = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))
        self.plain = torch.zeros(1)

    def forward(self, x):
        CHANGE
        return x
"""


def test_a_buffer_is_registered_again() -> None:
    text = converted(TEXT.replace("CHANGE", "self.seen = x + 1")).text
    assert "        self.register_buffer('seen', x + 1)\n" in text
    text = converted(TEXT.replace("CHANGE", "self.seen += x.size(0)")).text
    assert "        self.register_buffer('seen', self.seen + (x.shape[0]))\n" in text


def test_one_that_is_not_saved_stays_so() -> None:
    text = TEXT.replace("torch.zeros(1))", "torch.zeros(1), persistent=False)").replace(
        "CHANGE", "self.seen = x"
    )
    assert "self.register_buffer('seen', x, persistent=False)\n" in converted(text).text


def test_an_attribute_that_is_none_is_assigned() -> None:
    assert "self.plain = x + 1\n" in converted(TEXT.replace("CHANGE", "self.plain = x + 1")).text
