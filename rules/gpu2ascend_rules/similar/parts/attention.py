"""Attention that is written out, by ``torch_npu.npu_fusion_attention``."""

import torch

from .npu_loaded import _operator_for

_TYPES = (torch.float16, torch.bfloat16, torch.float32)


def attention(q, k, v, scale=1.0, mask=None, dropout=0.0):
    """``dropout(torch.softmax((q @ k.transpose(-2, -1) * scale).masked_fill(mask, -inf), -1)) @ v``.

    On an NPU it is one operator while training. Tensors are of batch, heads, sequence and head size, and the
    mask is True where scores are left out. Without gradients, and for other shapes, it is the formula: the
    operator is made for training.
    """
    operator = _operator_for("npu_fusion_attention", q)
    is_number = not isinstance(scale, torch.Tensor)
    if operator is not None and is_number and torch.is_grad_enabled() and _is_of_heads(q, k, v):
        keep = {"keep_prob": 1.0 - dropout, "scale": float(scale)}
        if mask is None:
            return operator(q, k, v, q.shape[1], "BNSD", **keep)[0]
        if _is_of_scores(mask, q, k):
            return operator(q, k, v, q.shape[1], "BNSD", atten_mask=mask, **keep)[0]
    scores = q @ k.transpose(-2, -1) * scale
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    probabilities = torch.softmax(scores, -1)
    if dropout:
        probabilities = torch.nn.functional.dropout(probabilities, dropout)
    return probabilities @ v


def _is_of_heads(q, k, v):
    """Whether the operator takes the shapes and types."""
    if not (q.dim() == k.dim() == v.dim() == 4 and q.dtype == k.dtype == v.dtype and q.dtype in _TYPES):
        return False
    return q.shape[:2] == k.shape[:2] == v.shape[:2] and q.shape[-1] == k.shape[-1] == v.shape[-1]


def _is_of_scores(mask, q, k):
    """Whether the operator takes the mask: booleans, one for each score, or for those of all heads."""
    if mask.dtype != torch.bool or mask.device != q.device or mask.shape[-2:] != (q.shape[2], k.shape[2]):
        return False
    batch, heads = q.shape[:2]
    return mask.dim() == 2 or tuple(mask.shape[:-2]) in ((batch, heads), (batch, 1), (1, 1))
