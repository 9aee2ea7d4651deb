"""Attention that is written out, by ``torch_npu.npu_fusion_attention``."""

import torch

from .npu_loaded import _operator_for

_TYPES = (torch.float16, torch.bfloat16, torch.float32)


def attention(q, k, v, scale=1.0):
    """``torch.softmax(q @ k.transpose(-2, -1) * scale, -1) @ v``, on an NPU in one operator while training.

    Tensors are of batch, heads, sequence and head size. Without gradients, and for other shapes, it is the
    formula: the operator is made for training.
    """
    operator = _operator_for("npu_fusion_attention", q)
    is_number = not isinstance(scale, torch.Tensor)
    if operator is not None and is_number and torch.is_grad_enabled() and _is_of_heads(q, k, v):
        return operator(q, k, v, q.shape[1], "BNSD", keep_prob=1.0, scale=float(scale))[0]
    return torch.softmax(q @ k.transpose(-2, -1) * scale, -1) @ v


def _is_of_heads(q, k, v):
    """Whether the operator takes the shapes and types."""
    if not (q.dim() == k.dim() == v.dim() == 4 and q.dtype == k.dtype == v.dtype and q.dtype in _TYPES):
        return False
    return q.shape[:2] == k.shape[:2] == v.shape[:2] and q.shape[-1] == k.shape[-1] == v.shape[-1]
