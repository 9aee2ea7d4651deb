"""Convolutions over volumes."""

import torch

from .padding import pad


# conv3d_base: What both forms of ``Conv3d`` share: the widths of the padding.
def _padding_of(convolution):
    """The padding as (before, after) of each of the three dimensions, first dimension first."""
    padding = convolution.padding
    if padding == "valid":
        return [(0, 0)] * 3
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(convolution.dilation, convolution.kernel_size)]
        return [(total // 2, total - total // 2) for total in totals]
    return [(width, width) for width in padding]


def _padded(convolution, input):
    """The input, padded as far as a convolution cannot do it, and the padding that is left to that."""
    pairs = _padding_of(convolution)
    if convolution.padding_mode == "zeros" and all(before == after for before, after in pairs):
        return input, [before for before, _ in pairs]
    mode = "constant" if convolution.padding_mode == "zeros" else convolution.padding_mode
    return pad(input, [width for pair in reversed(pairs) for width in pair], mode), [0, 0, 0]


# conv3d: ``torch.nn.Conv3d`` without dilated kernels, which early releases lack.
class Conv3d(torch.nn.Conv3d):
    """The same as ``torch.nn.Conv3d``; ``weight`` and ``bias`` keep their names and shapes.

    Where it is dilated, zeros are put between the weights in every forward pass. They are no parameters:
    checkpoints fit, and nothing more is trained.
    """

    def forward(self, input):
        if input.dim() == 4:
            return self.forward(input.unsqueeze(0)).squeeze(0)
        padded, padding = _padded(self, input)
        weight = self.weight
        for axis, step in enumerate(self.dilation):
            weight = _with_gaps(weight, axis + 2, step)
        return torch.nn.functional.conv3d(padded, weight, self.bias, self.stride, padding, 1, self.groups)


def _with_gaps(weight, dim, step):
    """The weights with ``step - 1`` zeros between two of them along a dimension."""
    if step == 1:
        return weight
    shape = list(weight.shape)
    gaps = weight.new_zeros([*shape[: dim + 1], step - 1, *shape[dim + 1 :]])
    spread = torch.cat([weight.unsqueeze(dim + 1), gaps], dim + 1)
    merged = spread.reshape([*shape[:dim], shape[dim] * step, *shape[dim + 1 :]])
    return merged.narrow(dim, 0, (shape[dim] - 1) * step + 1)
