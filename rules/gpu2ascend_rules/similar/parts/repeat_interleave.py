"""Repeated elements."""

import torch


# repeat_interleave: ``torch.repeat_interleave``: places counted on the CPU, elements copied on the device.
def repeat_interleave(input=None, repeats=None, dim=None, output_size=None):
    """The same as ``torch.repeat_interleave`` in both its forms, and as the method of a tensor.

    ``repeats`` is a number, or a tensor of integers with one element or as many as the dimension has.
    """
    if input is None or repeats is None:
        counts = repeats if input is None else input
        return _places(counts, output_size).to(counts.dtype).to(counts.device)
    if dim is None:
        input, dim = input.reshape(-1), 0
    if not -input.dim() <= dim < input.dim():
        raise IndexError(f"repeat_interleave: no dimension {dim} in a tensor of {input.dim()}")
    dim %= input.dim()
    size = input.size(dim)
    if not isinstance(repeats, torch.Tensor):
        return _repeated(input, int(repeats), dim, output_size)
    if repeats.dim() > 1 or (repeats.numel() != 1 and repeats.numel() != size):
        raise RuntimeError(f"repeat_interleave: repeats must have one element or {size}")
    places = _places(repeats.reshape(-1).expand(size), output_size)
    return input.index_select(dim, places.to(input.device))


def _repeated(input, repeats, dim, output_size):
    """Every element the same number of times: a new dimension that is merged into the old one."""
    if repeats < 0:
        raise RuntimeError("repeat_interleave: repeats cannot be negative")
    shape = list(input.shape)
    _check_size(shape[dim] * repeats, output_size)
    spread = input.unsqueeze(dim + 1).expand([*shape[: dim + 1], repeats, *shape[dim + 1 :]])
    return spread.reshape([*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :]])


def _places(counts, output_size):
    """Place ``i`` as often as ``counts[i]`` says, on the CPU."""
    if counts.dtype not in (torch.int64, torch.int32):
        raise RuntimeError("repeat_interleave: repeats must be of type int64 or int32")
    places = torch.repeat_interleave(counts.cpu().long())
    if counts.numel():  # for none at all, torch does not look at the size either
        _check_size(places.numel(), output_size)
    return places


def _check_size(size, output_size):
    if output_size is not None and output_size != size:
        raise RuntimeError(f"repeat_interleave: output_size is {size}, not {output_size}")
