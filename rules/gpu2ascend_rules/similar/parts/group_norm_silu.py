"""Group normalization with SiLU by ``torch_npu.npu_group_norm_silu``."""

import torch

from .npu_loaded import _operator_for


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
