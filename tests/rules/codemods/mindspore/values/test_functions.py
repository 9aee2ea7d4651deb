"""Functions with gradients of their own."""

from __future__ import annotations

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
