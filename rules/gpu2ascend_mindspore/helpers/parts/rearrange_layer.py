"""einops.layers.torch.Rearrange"""

from mindspore import nn

from .rearrange import rearrange


class Rearrange(nn.Cell):
    """A cell that gives its input with its axes in another order and other groups."""

    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        self.pattern, self.axes_lengths = pattern, axes_lengths

    def construct(self, input):
        return rearrange(input, self.pattern, **self.axes_lengths)
