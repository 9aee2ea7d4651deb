"""``torch.nn.Conv3d`` without dilated kernels, which early releases lack."""

import torch

from .conv3d_base import _padded


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
