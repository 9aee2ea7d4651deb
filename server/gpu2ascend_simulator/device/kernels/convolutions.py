"""Convolutions, for which torch wants kernels of the device itself."""

from __future__ import annotations

from typing import Any

import torch

from ..operators.hosted import hosted

_forward = torch.ops.aten.convolution.default
_backward = torch.ops.aten.convolution_backward.default


def _gradients(gradient: Any, input: Any, weight: Any, *how: Any) -> Any:
    """The gradients of the input, the weight and the bias."""
    *_, transposed, _, groups, _ = how
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    return _backward(gradient, input, weight, [channels], *how)


KERNELS = {
    "convolution_overrideable": hosted(_forward, _forward),
    "convolution_backward_overrideable": hosted(_backward, _gradients),
}
