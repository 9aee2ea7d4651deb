"""Formulas of models that are one operator on an NPU."""

import torch

from .devices import _operator_for

# attention: Attention that is written out, by ``torch_npu.npu_fusion_attention``.
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


# cross_entropy: Cross entropy by ``torch_npu.npu_cross_entropy_loss``.
_MOST_ROWS = 200000
"""Rows that the operator takes."""


def cross_entropy(input, target):
    """``F.cross_entropy(input, target)``, on an NPU in one operator for a matrix and classes by number."""
    operator = _operator_for("npu_cross_entropy_loss", input)
    is_matrix = input.dim() == 2 and target.dim() == 1 and input.shape[0] <= _MOST_ROWS
    if operator is not None and is_matrix:
        return operator(input, target)[0]
    return torch.nn.functional.cross_entropy(input, target)


# geglu: GEGLU by ``torch_npu.npu_geglu``.
def geglu(x, approximate="none"):
    """``a * F.gelu(b)`` of the halves ``a, b = x.chunk(2, -1)``, on an NPU in one operator."""
    operator = _operator_for("npu_geglu", x)
    if operator is not None:
        return operator(x, dim=-1, approximate=int(approximate == "tanh"))[0]
    value, gate = x.chunk(2, -1)
    if approximate == "none":
        return value * torch.nn.functional.gelu(gate)
    return value * torch.nn.functional.gelu(gate, approximate=approximate)


# group_norm_silu: Group normalization with SiLU by ``torch_npu.npu_group_norm_silu``.
def group_norm_silu(x, num_groups, weight=None, bias=None, eps=1e-5):
    """``F.silu(F.group_norm(x, num_groups, weight, bias, eps))``, on an NPU in one operator.

    Without weight and bias, or where they have fewer digits than ``x``, it is the formula.
    """
    operator = _operator_for("npu_group_norm_silu", x)
    if operator is not None and weight is not None and bias is not None and _has_digits(weight, bias, x):
        return operator(x, weight, bias, num_groups, eps)[0]
    normed = torch.nn.functional.group_norm(x, num_groups, weight, bias, eps)
    return normed * torch.sigmoid(normed)


def _has_digits(weight, bias, x):
    """Whether the operator takes these types and this number of dimensions."""
    is_exact = all(torch.finfo(t.dtype).eps <= torch.finfo(x.dtype).eps for t in (weight, bias))
    return is_exact and 2 <= x.dim() <= 8 and x.numel() > 0


# masked_softmax: Softmax of masked scores by ``torch_npu.npu_scaled_masked_softmax``.
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


# rms_norm: The root-mean-square norm by ``torch_npu.npu_rms_norm``.
def rms_norm(x, eps):
    """``x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)``, on an NPU in one operator."""
    operator = _operator_for("npu_rms_norm", x)
    if operator is None or isinstance(eps, torch.Tensor):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return operator(x, x.new_ones(x.shape[-1:]), epsilon=eps)[0]


# rotary: Rotary embeddings by ``torch_npu.npu_rotary_mul``.
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


# swiglu: SwiGLU by ``torch_npu.npu_swiglu``.
def swiglu(x):
    """``silu(a) * b`` of the halves ``a, b = x.chunk(2, -1)``, on an NPU in one operator."""
    operator = _operator_for("npu_swiglu", x)
    if operator is not None and x.is_contiguous() and x.numel() and x.shape[-1] % 2 == 0:
        return operator(x, dim=-1)
    gate, value = x.chunk(2, -1)
    return gate * torch.sigmoid(gate) * value
