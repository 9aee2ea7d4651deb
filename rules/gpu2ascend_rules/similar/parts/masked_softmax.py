"""Softmax of masked scores by ``torch_npu.npu_scaled_masked_softmax``."""

import torch

from .npu_loaded import _operator_for

_SIDES = range(32, 4097, 32)
"""The sizes of the last two dimensions that the operator takes."""


def masked_softmax(x, mask, fill):
    """``torch.softmax(x.masked_fill(mask, fill), -1)``, on an NPU in one operator where that fits."""
    operator = _operator_for("npu_scaled_masked_softmax", x)
    if operator is not None and _takes_mask(x, mask):
        return operator(x, mask, 1.0, False)
    return torch.softmax(x.masked_fill(mask, fill), -1)


def _takes_mask(x, mask):
    """Whether the operator takes the scores and the mask, which is True where scores are left out."""
    if x.dim() != 4 or mask.dim() != 4 or mask.dtype != torch.bool:
        return False
    if x.shape[-1] not in _SIDES or x.shape[-2] not in _SIDES or mask.shape[-2:] != x.shape[-2:]:
        return False
    return all(size in (1, whole) for size, whole in zip(mask.shape[:2], x.shape[:2]))
