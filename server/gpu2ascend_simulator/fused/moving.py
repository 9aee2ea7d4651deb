"""Operators that move, cast or multiply."""

from __future__ import annotations

from typing import Any

import torch

from .on_device import require_npu

__all__ = [
    "get_npu_format",
    "npu_confusion_transpose",
    "npu_cross_entropy_loss",
    "npu_dtype_cast",
    "npu_format_cast",
    "npu_format_cast_",
    "npu_linear",
    "npu_moe_token_permute",
    "npu_moe_token_unpermute",
]
_ND = 2
"""The number of the format in which elements lie as torch has them. The device has others; here it is all."""


def npu_linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """A linear map."""
    require_npu("npu_linear", input, weight, bias)
    return torch.nn.functional.linear(input, weight, bias)


def npu_format_cast(self: Any, acl_format: Any, *_: Any, **__: Any) -> Any:
    """The same elements in another format of the device."""
    require_npu("npu_format_cast", self)
    return self


npu_format_cast_ = npu_format_cast


def get_npu_format(self: Any) -> int:
    """The number of a tensor's format."""
    require_npu("get_npu_format", self)
    return _ND


def npu_dtype_cast(self: Any, dtype: Any) -> Any:
    """The same numbers in another type."""
    require_npu("npu_dtype_cast", self)
    return self.to(dtype)


def npu_confusion_transpose(self: Any, perm: Any, shape: Any, transpose_first: bool) -> Any:
    """Permute and reshape, in either order."""
    require_npu("npu_confusion_transpose", self)
    return self.permute(perm).reshape(shape) if transpose_first else self.reshape(shape).permute(perm)


def npu_cross_entropy_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    lse_square_scale_for_zloss: float = 0.0,
    return_zloss: bool = False,
) -> Any:
    """The loss, the logarithms of the probabilities, and two results for the z loss.

    Raises:
        NotImplementedError: the z loss is asked for.
    """
    require_npu("npu_cross_entropy_loss", input, target, weight)
    if lse_square_scale_for_zloss or return_zloss:
        raise NotImplementedError("the simulated cross entropy has no z loss")
    loss = torch.nn.functional.cross_entropy(
        input, target, weight, None, ignore_index, None, reduction, label_smoothing
    )
    empty = input.new_empty(0)
    return loss, input.log_softmax(-1), empty, empty


def npu_moe_token_permute(
    tokens: Any, indices: Any, num_out_tokens: int | None = None, padded_mode: bool = False
) -> Any:
    """Tokens in the order of their experts, and where each of them went."""
    require_npu("npu_moe_token_permute", tokens, indices)
    if padded_mode:
        raise NotImplementedError("the simulated operator has no padded mode, nor has the real one")
    experts = 1 if indices.dim() == 1 else indices.shape[1]
    order = indices.flatten().argsort(stable=True)
    places = order.argsort(stable=True)
    return tokens.index_select(0, order[:num_out_tokens] // experts), places.to(torch.int32)


def npu_moe_token_unpermute(
    permuted_tokens: Any,
    sorted_indices: Any,
    probs: Any = None,
    padded_mode: bool = False,
    restore_shape: Any = None,
) -> Any:
    """Tokens in their own order again, summed over their experts."""
    require_npu("npu_moe_token_unpermute", permuted_tokens, sorted_indices, probs)
    if padded_mode:
        raise NotImplementedError("the simulated operator has no padded mode, nor has the real one")
    tokens = permuted_tokens.index_select(0, sorted_indices.long())
    if probs is None:
        return tokens
    return (tokens.view(-1, probs.shape[1], tokens.shape[-1]) * probs.unsqueeze(-1)).sum(1).to(tokens.dtype)
