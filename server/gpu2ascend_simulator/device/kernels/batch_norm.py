"""The operators of synchronised batch normalisation, which torch has for accelerators only."""

from __future__ import annotations

from typing import Any

import torch

from ..operators.hosted import hosted

_aten = torch.ops.aten


def _but_channels(tensor: Any) -> list[int]:
    return [dim for dim in range(tensor.dim()) if dim != 1]


def _beside(channels: Any, tensor: Any) -> Any:
    """One value for each channel, shaped to stand beside a tensor."""
    return channels.view([1, -1, *[1] * (tensor.dim() - 2)])


def stats(input: Any, eps: float) -> Any:
    """``aten::batch_norm_stats``: mean and inverse standard deviation of each channel."""
    wide, dims = input.float(), _but_channels(input)
    return wide.mean(dims), (wide.var(dims, unbiased=False) + eps).rsqrt()


def gather_stats(
    input: Any,
    means: Any,
    invstds: Any,
    running_mean: Any,
    running_var: Any,
    momentum: Any,
    eps: Any,
    counts: Any,
) -> Any:
    """``aten::batch_norm_gather_stats_with_counts``: those of all ranks together."""
    weights = counts.float().view(-1, 1)
    total = weights.sum()
    mean = (means * weights).sum(0) / total
    variance = ((invstds.pow(-2) - eps + (means - mean).pow(2)) * weights).sum(0) / total
    return _update(mean, variance, total, running_mean, running_var, momentum, eps)


def _update(
    mean: Any, variance: Any, total: Any, running_mean: Any, running_var: Any, momentum: Any, eps: Any
) -> Any:
    if running_mean is not None:
        running_mean.mul_(1 - momentum).add_(mean.to(running_mean.dtype), alpha=momentum)
    if running_var is not None:
        unbiased = variance * total / (total - 1)
        running_var.mul_(1 - momentum).add_(unbiased.to(running_var.dtype), alpha=momentum)
    return mean, (variance + eps).rsqrt()


def sums(input: Any, eps: float) -> Any:
    """``npu::batch_norm_reduce``: sum and sum of squares of each channel."""
    wide, dims = input.float(), _but_channels(input)
    return wide.sum(dims), wide.square().sum(dims)


def gather_sums(
    input: Any,
    sums_of_all: Any,
    squares_of_all: Any,
    running_mean: Any,
    running_var: Any,
    momentum: Any,
    eps: Any,
    counts: Any,
) -> Any:
    """``npu::batch_norm_gather_stats_update``: mean and inverse deviation of all ranks together."""
    total = counts.float().sum()
    mean = sums_of_all.sum(0) / total
    variance = squares_of_all.sum(0) / total - mean.square()
    return _update(mean, variance, total, running_mean, running_var, momentum, eps)


def normalise(input: Any, weight: Any, bias: Any, mean: Any, invstd: Any, eps: float) -> Any:
    """``aten::batch_norm_elemt``: the normalised input."""
    result = (input.float() - _beside(mean, input)) * _beside(invstd, input)
    if weight is not None:
        result = result * _beside(weight, input)
    if bias is not None:
        result = result + _beside(bias, input)
    return result.to(input.dtype)


def reduce_gradient(gradient: Any, input: Any, mean: Any, invstd: Any, weight: Any, *wanted: bool) -> Any:
    """``aten::batch_norm_backward_reduce``: sums of each channel, gradients of weight and bias."""
    dims, wide = _but_channels(input), gradient.float()
    total = wide.sum(dims)
    times_centred = (wide * (input.float() - _beside(mean, input))).sum(dims)
    return total, times_centred, times_centred * invstd, total


def input_gradient(
    gradient: Any,
    input: Any,
    mean: Any,
    invstd: Any,
    weight: Any,
    total: Any,
    times_centred: Any,
    counts: Any,
) -> Any:
    """``aten::batch_norm_backward_elemt``: the gradient of the input."""
    count = counts.float().sum()
    centred = input.float() - _beside(mean, input)
    projection = _beside(times_centred * invstd.pow(2) / count, input)
    result = gradient.float() - _beside(total / count, input) - centred * projection
    scale = invstd if weight is None else invstd * weight
    return (result * _beside(scale, input)).to(input.dtype)


KERNELS = {
    "batch_norm_stats": hosted(_aten.batch_norm_stats.default, stats),
    "batch_norm_gather_stats_with_counts": hosted(
        _aten.batch_norm_gather_stats_with_counts.default, gather_stats
    ),
    "batch_norm_elemt": hosted(_aten.batch_norm_elemt.default, normalise),
    "batch_norm_backward_reduce": hosted(_aten.batch_norm_backward_reduce.default, reduce_gradient),
    "batch_norm_backward_elemt": hosted(_aten.batch_norm_backward_elemt.default, input_gradient),
}
