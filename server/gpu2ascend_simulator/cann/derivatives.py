"""Operators of the wheel's own derivatives that torch has no kernel for."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["npu_binary_cross_entropy_with_logits_backward", "npu_renorm_backward"]
_MEAN = 1
"""The reduction of a loss to its mean, in torch's numbers."""
_SMALL = 1e-7
"""What torch's kernel of ``renorm`` adds to a norm before it divides."""


def npu_binary_cross_entropy_with_logits_backward(
    grad_output: Any, input: Any, target: Any, weight: Any, pos_weight: Any, reduction: int
) -> Any:
    """Of a loss of logits, by the logits."""
    positive = target if pos_weight is None else target * pos_weight
    found = ((1 - target + positive) * torch.sigmoid(input) - positive) * grad_output
    if weight is not None:
        found = found * weight
    return found / input.numel() if reduction == _MEAN else found


def npu_renorm_backward(grad: Any, input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Of slices that are cut down to a norm."""
    others = [axis for axis in range(input.dim()) if axis != dim % input.dim()]
    with torch.enable_grad():
        leaf = input.detach().requires_grad_()
        norms = torch.linalg.vector_norm(leaf, p, others, keepdim=True)
        along = (input * grad).sum(others, keepdim=True)
        (turned,) = torch.autograd.grad(norms, leaf, along)
    inverse = 1 / (norms.detach() + _SMALL)
    return torch.where(norms > maxnorm, maxnorm * inverse * (grad - inverse * turned), grad)
