"""Activations, softmax and rotary positions."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from .on_device import require_npu

__all__ = [
    "npu_fast_gelu",
    "npu_geglu",
    "npu_gelu",
    "npu_mish",
    "npu_rotary_mul",
    "npu_scaled_masked_softmax",
    "npu_silu",
    "npu_swiglu",
]
_MASKED = -10_000.0
"""What the device puts in the place of a score that a mask hides."""


def npu_swiglu(self: Any, dim: int = -1) -> Any:
    """One half gates the other."""
    require_npu("npu_swiglu", self)
    gate, value = self.chunk(2, dim)
    return functional.silu(gate) * value


def npu_geglu(self: Any, dim: int = -1, approximate: int = 1, activate_left: bool = False) -> Any:
    """One half gates the other by GELU; the result, and the GELU alone."""
    require_npu("npu_geglu", self)
    left, right = self.chunk(2, dim)
    value, gate = (right, left) if activate_left else (left, right)
    activated = functional.gelu(gate, approximate="tanh" if approximate else "none")
    return value * activated, activated


def npu_gelu(self: Any, *, approximate: str = "none") -> Any:
    """GELU, exact or by tanh."""
    require_npu("npu_gelu", self)
    return functional.gelu(self, approximate=approximate)


def npu_fast_gelu(self: Any) -> Any:
    """GELU by a sigmoid: close to the exact one, not equal to it."""
    require_npu("npu_fast_gelu", self)
    return self * torch.sigmoid(1.702 * self)


def npu_silu(self: Any) -> Any:
    """SiLU."""
    require_npu("npu_silu", self)
    return functional.silu(self)


def npu_mish(self: Any) -> Any:
    """Mish."""
    require_npu("npu_mish", self)
    return functional.mish(self)


def npu_scaled_masked_softmax(x: Any, mask: Any, scale: float = 1, fixed_triu_mask: bool = False) -> Any:
    """Softmax over the last dimension of scaled scores, of which a mask (True) hides some."""
    require_npu("npu_scaled_masked_softmax", x, mask)
    if fixed_triu_mask:
        mask = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
    return (x * scale).masked_fill(mask.bool(), _MASKED).softmax(-1)


def npu_rotary_mul(self: Any, r1: Any, r2: Any, rotary_mode: str = "half") -> Any:
    """Rotary position embedding, of tensors with four dimensions.

    Raises:
        RuntimeError: a tensor has another number of dimensions.
    """
    require_npu("npu_rotary_mul", self, r1, r2)
    if not self.dim() == r1.dim() == r2.dim() == 4:
        raise RuntimeError("npu_rotary_mul needs tensors with four dimensions")
    if rotary_mode == "half":
        first, second = self.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
    else:
        rotated = torch.stack((-self[..., 1::2], self[..., ::2]), -1).flatten(-2)
    return self * r1 + rotated * r2
