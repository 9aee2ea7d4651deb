"""Convolutions over volumes, slice by slice."""

import torch

from .conv3d import _padded
from .padding import pad


# conv3d_slices: ``torch.nn.Conv3d`` by ``conv2d``, where there is no ``conv3d`` at all.
class Conv3d(torch.nn.Conv3d):
    """The same as ``torch.nn.Conv3d``; ``weight`` and ``bias`` keep their names and shapes.

    Each step of the kernel along the first dimension is a ``conv2d`` of the frames that it meets; their
    sum is the result.
    """

    def forward(self, input):
        if input.dim() == 4:
            return self.forward(input.unsqueeze(0)).squeeze(0)
        padded, (depth, height, width) = _padded(self, input)
        frames = pad(padded, [0, 0, 0, 0, depth, depth]).transpose(1, 2)
        steps, stride, reach = self.kernel_size[0], self.stride[0], self.dilation[0]
        count = (frames.size(1) - reach * (steps - 1) - 1) // stride + 1
        if count < 1:
            raise RuntimeError("Conv3d: the kernel is larger than the padded input")
        batch = frames.size(0)
        total = None
        for step in range(steps):
            first = step * reach
            met = frames[:, first : first + (count - 1) * stride + 1 : stride]
            part = torch.nn.functional.conv2d(
                met.reshape([batch * count, *list(met.shape[2:])]),
                self.weight[:, :, step],
                None,
                self.stride[1:],
                (height, width),
                self.dilation[1:],
                self.groups,
            )
            total = part if total is None else total + part
        if self.bias is not None:  # of another dtype than the result, where autocast chose that
            total = total + self.bias.to(total.dtype).reshape(1, -1, 1, 1)
        return total.reshape([batch, count, *list(total.shape[1:])]).transpose(1, 2).contiguous()
