"""Functions that make or change tensors."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from .common import _found_elements


# cummax: torch.cummax
def cummax(input, dim):
    """The greatest element so far along a dimension, and where it was."""
    return _found_elements(ops.cummax, input, dim)


# cummin: torch.cummin
def cummin(input, dim):
    """The least element so far along a dimension, and where it was."""
    return _found_elements(ops.cummin, input, dim)


# diag: torch.diag
def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    return input.diagonal(diagonal) if input.ndim == 2 else ops.diagflat(input, diagonal)


# fill_diagonal: torch.Tensor.fill_diagonal_
def fill_diagonal(input, fill_value):
    """A matrix with one value on its diagonal."""
    if input.ndim != 2:
        raise ValueError("fill_diagonal: only of a matrix")
    on_diagonal = ops.arange(input.shape[0]).expand_dims(1) == ops.arange(input.shape[1])
    return input.masked_fill(on_diagonal, fill_value)


# float_tensor: torch.FloatTensor
def FloatTensor(*data):
    """A tensor of float32 of the values that are given, or of a size, in which there is anything."""
    if len(data) == 1 and not isinstance(data[0], int):
        values = data[0].asnumpy() if isinstance(data[0], Tensor) else data[0]
        return Tensor(np.array(values, np.float32))
    return ops.zeros(data, dtype=ms.float32)


# hann_window: torch.hann_window
def hann_window(
    window_length,
    periodic=True,
    *,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """A window of a raised cosine."""
    return ops.hann_window(window_length, periodic=periodic).astype(ms.float32 if dtype is None else dtype)


# long_tensor: torch.LongTensor
def LongTensor(*data):
    """A tensor of int64 of the values that are given, or of a size, in which there is anything."""
    if len(data) == 1 and not isinstance(data[0], int):
        values = data[0].asnumpy() if isinstance(data[0], Tensor) else data[0]
        return Tensor(np.array(values, np.int64))
    return ops.zeros(data, dtype=ms.int64)


# normal: torch.normal
def normal(mean, std=1.0, size=None):
    """Random numbers of normal distributions: each element of tensors is one with its own values."""
    drawn = ops.randn_like(mean + std) if size is None else ops.randn(*size)
    return drawn * std + mean


# number: Tensors in formatted text.
def number(value):
    """A tensor of one value as a number, which has formats; anything else as it is."""
    return value.item() if isinstance(value, Tensor) and value.ndim == 0 else value


def numbers(values):
    """The values of a dictionary, likewise."""
    return {name: number(one) for name, one in dict(values).items()}


# pad_sequence: torch.nn.utils.rnn.pad_sequence
def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences of different lengths as one tensor."""
    longest = max(one.shape[0] for one in sequences)
    padded = []
    for one in sequences:
        shape = (longest - one.shape[0], *one.shape[1:])
        if shape[0]:
            filling = ops.full_like(ops.zeros(shape, dtype=one.dtype), padding_value)
            one = ops.cat([one, filling] if padding_side == "right" else [filling, one])
        padded.append(one)
    return ops.stack(padded, axis=0 if batch_first else 1)


# picked: Parts that numbers pick.
def picked(input, *indices):
    """The part, by one number after the other: of several tensors at once there is no gradient."""
    if any(isinstance(one, list) or getattr(one, "ndim", 0) for one in indices):
        return input[indices]
    for one in indices:
        if isinstance(one, Tensor):  # of what a negative one picks, there is no gradient either
            one = ops.where(one < 0, one + input.shape[0], one)
        input = input[one]
    return input


# roll: torch.roll
def roll(input, shifts, dims=None):
    """A tensor whose elements move along dimensions; what leaves at the end comes back at the start."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None or dims == ():
        return roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(shifts) != len(dims):
        raise ValueError(f"roll: {len(shifts)} shifts and {len(dims)} dims")
    for shift, dim in zip(shifts, dims):
        size = input.shape[dim]
        place = size - shift % size if size else 0
        if place not in (0, size):
            before = (slice(None),) * (dim % input.ndim)
            parts = [input[(*before, slice(place, None))], input[(*before, slice(None, place))]]
            input = ops.cat(parts, axis=dim)
    return input


# scatter: torch.scatter
def scatter(input, dim, index, src=None, value=None):
    """A tensor with elements of another, or one number, at places along a dimension."""
    src = value if src is None else src
    if not isinstance(src, Tensor):
        src = ops.full_like(index, src, dtype=input.dtype)
    return ops.tensor_scatter_elements(input, index, _like_index(src, index), axis=dim)


# scatter_add: torch.scatter_add
def scatter_add(input, dim, index, src):
    """A tensor with elements of another added at places along a dimension."""
    return ops.tensor_scatter_elements(input, index, _like_index(src, index), axis=dim, reduction="add")


# scattered: What is scattered may be larger than the index, whose shape counts.
def _like_index(src, index):
    if src.shape == index.shape:
        return src
    return src[tuple(slice(0, size) for size in index.shape)]


# softmax: torch.nn.functional.softmax
def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Shares that sum to one along a dimension."""
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return ops.softmax(input if dtype is None else input.astype(dtype), axis=dim)


# sort: torch.sort
def sort(input, dim=-1, descending=False, stable=False):
    """A tensor in order along a dimension, and where each element was."""
    values, indices = ops.sort(input, axis=dim, descending=descending)
    return values, indices.astype(ms.int64)


# topk: torch.topk
def topk(input, k, dim=None, largest=True, sorted=True):
    """The largest elements along a dimension, and where they were."""
    values, indices = ops.topk(input, k, dim=dim, largest=largest, sorted=sorted)
    return values, indices.astype(ms.int64)


# unit_vectors: torch.nn.functional.normalize
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Vectors divided by their norm."""
    if out is not None:
        raise TypeError("without counterpart: out")
    if p == 2:
        norm = ops.sqrt((input * input).sum(axis=dim, keepdims=True))
    else:
        norm = (ops.abs(input) ** p).sum(axis=dim, keepdims=True) ** (1 / p)
    return input / ops.clamp(norm, min=eps)
