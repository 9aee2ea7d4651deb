"""torch.nn.Softplus"""

from mindspore import nn, ops


class Softplus(nn.Cell):
    """The smooth form of a rectifier as a layer."""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def construct(self, input):
        return ops.softplus(input, self.beta, self.threshold)
