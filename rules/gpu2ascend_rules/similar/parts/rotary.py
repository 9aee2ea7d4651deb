"""Rotary embeddings by ``torch_npu.npu_rotary_mul``."""

import torch

from .npu_loaded import _operator_for

_HEAD_SIZES = range(2, 896, 2)
"""The sizes of a head that the operator takes."""


def rotary_mul(x, cos, sin):
    """``x * cos + rotate_half(x) * sin``, on an NPU in one operator where that takes the shapes."""
    operator = _operator_for("npu_rotary_mul", x)
    if operator is not None and _fits(x, cos, sin):
        return operator(x, cos, sin)
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


def _fits(x, cos, sin):
    """Whether all have four dimensions and one type, and those of cos and sin are 1 or those of x."""
    if not (x.dim() == cos.dim() == sin.dim() == 4 and x.dtype == cos.dtype == sin.dtype):
        return False
    if cos.shape != sin.shape or cos.shape[-1] != x.shape[-1] or x.shape[-1] not in _HEAD_SIZES:
        return False
    return all(size in (1, whole) for size, whole in zip(cos.shape, x.shape))
