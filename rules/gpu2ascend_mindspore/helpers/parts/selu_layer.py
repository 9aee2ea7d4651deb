"""torch.nn.SELU"""

from mindspore import nn

from .selu import selu


class SELU(nn.Cell):
    """Scaled exponential units as a layer."""

    def __init__(self, inplace=False):
        super().__init__()

    def construct(self, input):
        return selu(input)
