"""Normalisations."""

from __future__ import annotations

from typing import Any

import torch

from .on_device import require_npu

__all__ = ["npu_add_layer_norm", "npu_add_rms_norm", "npu_group_norm_silu", "npu_rms_norm"]


def npu_rms_norm(self: Any, gamma: Any, epsilon: float = 1e-6) -> Any:
    """The normalised input and the reciprocal of its root mean square."""
    require_npu("npu_rms_norm", self, gamma)
    rstd = (self.float().pow(2).mean(-1, keepdim=True) + epsilon).rsqrt()
    return (self.float() * rstd).to(self.dtype) * gamma, rstd


def npu_add_rms_norm(x1: Any, x2: Any, gamma: Any, epsilon: float = 1e-6) -> Any:
    """The normalised sum, the reciprocal of its root mean square, and the sum."""
    require_npu("npu_add_rms_norm", x1, x2, gamma)
    total = x1 + x2
    return (*npu_rms_norm(total, gamma, epsilon), total)


def npu_add_layer_norm(
    x1: Any, x2: Any, gamma: Any, beta: Any, epsilon: float = 1e-5, additional_output: bool = False
) -> Any:
    """The normalised sum, its mean, the reciprocal of its deviation, and the sum if it is asked for."""
    require_npu("npu_add_layer_norm", x1, x2, gamma, beta)
    total = x1 + x2
    wide = total.float()
    mean = wide.mean(-1, keepdim=True)
    rstd = (wide.var(-1, unbiased=False, keepdim=True) + epsilon).rsqrt()
    result = torch.nn.functional.layer_norm(total, gamma.shape, gamma, beta, epsilon)
    return result, mean, rstd, total if additional_output else total.new_empty(0)


def npu_group_norm_silu(input: Any, weight: Any, bias: Any, group: int, eps: float = 1e-5) -> Any:
    """SiLU of the normalised groups, their means and the reciprocals of their deviations."""
    require_npu("npu_group_norm_silu", input, weight, bias)
    wide = input.float().reshape(input.shape[0], group, -1)
    rstd = (wide.var(-1, unbiased=False) + eps).rsqrt()
    normed = torch.nn.functional.group_norm(input, group, weight, bias, eps)
    return torch.nn.functional.silu(normed), wide.mean(-1), rstd
