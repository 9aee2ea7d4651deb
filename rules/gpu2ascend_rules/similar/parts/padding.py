"""Padding by ``cat`` and ``index_select``."""

import torch


# padding: Padding by ``cat`` and ``index_select``, which every release has on the device.
def pad(input, pad, mode="constant", value=None):
    """The same as ``torch.nn.functional.pad``, without its kernels.

    Constant padding of any dimensions, padding and cropping mixed; ``reflect``, ``replicate`` and
    ``circular`` of the last one to three dimensions, as torch has them.
    """
    widths = [int(width) for width in pad]
    if len(widths) % 2 or len(widths) > 2 * input.dim():
        raise RuntimeError(f"pad: {len(widths)} widths for {input.dim()} dimensions")
    pairs = list(zip(widths[::2], widths[1::2]))
    if mode == "constant":
        return _pad_with_constant(input, pairs, 0 if value is None else value).contiguous()
    if mode not in _SOURCE_INDEX:
        raise NotImplementedError(f"pad: unrecognised mode {mode}")
    if value not in (None, 0):
        raise ValueError(f"pad: mode {mode} takes no value")
    if len(pairs) not in (1, 2, 3) or input.dim() - len(pairs) not in (1, 2):
        raise NotImplementedError(f"pad: mode {mode} pads the last 1 to 3 dimensions")
    return _pad_from_input(input, pairs, mode).contiguous()


def _pad_with_constant(input, pairs, value):
    output = input
    for offset, (before, after) in enumerate(pairs):
        dim = input.dim() - 1 - offset
        output, before, after = _cropped(output, dim, before, after)
        blocks = [output]
        shape = list(output.shape)
        if before > 0:
            blocks.insert(0, output.new_full([*shape[:dim], before, *shape[dim + 1 :]], value))
        if after > 0:
            blocks.append(output.new_full([*shape[:dim], after, *shape[dim + 1 :]], value))
        output = torch.cat(blocks, dim) if len(blocks) > 1 else output
    return output.clone() if all(before <= 0 and after <= 0 for before, after in pairs) else output


def _pad_from_input(input, pairs, mode):
    output, is_copy = input, False
    for offset, (before, after) in enumerate(pairs):
        dim = input.dim() - 1 - offset
        if mode == "circular":  # what is cropped is gone before the rest is wrapped around
            output, before, after = _cropped(output, dim, before, after)
        size = output.size(dim)
        _check_width(size, before, after, mode)
        if before or after:
            places = _SOURCE_INDEX[mode](torch.arange(-before, size + after), size)
            output, is_copy = output.index_select(dim, places.to(input.device)), True
    return output if is_copy else output.clone()


def _cropped(input, dim, before, after):
    """The input without what negative widths cut off, and the widths that are left."""
    kept = input.size(dim) + min(before, 0) + min(after, 0)
    if kept < 0:
        raise RuntimeError(f"pad: dimension {dim} would get a negative size")
    return input.narrow(dim, max(-before, 0), kept), max(before, 0), max(after, 0)


def _check_width(size, before, after, mode):
    limit = {"reflect": size - 1, "circular": size}.get(mode)
    if limit is not None and max(before, after) > limit:
        raise RuntimeError(f"pad: {max(before, after)} is more than mode {mode} has to copy")
    if min(before, 0) + min(after, 0) + size < 0 or (size < 1 and max(before, after) > 0):
        raise RuntimeError(f"pad: cannot pad a dimension of {size} by {before} and {after}")


def _reflected(index, size):
    return (size - 1) - ((size - 1) - index.abs()).abs()


def _replicated(index, size):
    return index.clamp(0, size - 1)


def _wrapped(index, size):
    return torch.where(index < 0, index + size, torch.where(index >= size, index - size, index))


_SOURCE_INDEX = {"reflect": _reflected, "replicate": _replicated, "circular": _wrapped}


# reflection_pad2d: ``torch.nn.ReflectionPad2d`` by indices.
class ReflectionPad2d(torch.nn.ReflectionPad2d):
    """The same as ``torch.nn.ReflectionPad2d``: the border is mirrored, not filled with zeros."""

    def forward(self, input):
        return pad(input, self.padding, "reflect")


# replication_pad2d: ``torch.nn.ReplicationPad2d`` by indices.
class ReplicationPad2d(torch.nn.ReplicationPad2d):
    """The same as ``torch.nn.ReplicationPad2d``: the border is repeated, not filled with zeros."""

    def forward(self, input):
        return pad(input, self.padding, "replicate")
