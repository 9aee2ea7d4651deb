"""einops.layers.torch.Reduce"""

from mindspore import nn

from .reduce import reduce


class Reduce(nn.Cell):
    """A cell that gives its input without some of its axes."""

    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        self.pattern, self.reduction, self.axes_lengths = pattern, reduction, axes_lengths

    def construct(self, input):
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)
