"""torch.normal"""

from mindspore import ops


def normal(mean, std=1.0, size=None):
    """Random numbers of normal distributions: each element of tensors is one with its own values."""
    drawn = ops.randn_like(mean + std) if size is None else ops.randn(*size)
    return drawn * std + mean
