"""torch.nn.functional.selu"""

from mindspore import ops


def selu(input, inplace=False):
    """Scaled exponential units; the gradient of MindSpore's own is another one below zero."""
    below = 1.6732632423543772 * (ops.exp(ops.clamp(input, max=0)) - 1)
    return 1.0507009873554805 * ops.where(input > 0, input, below)
