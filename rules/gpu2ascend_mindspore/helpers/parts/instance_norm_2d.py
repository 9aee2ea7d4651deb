"""torch.nn.InstanceNorm2d"""

from .instance_norm import _InstanceNorm


class InstanceNorm2d(_InstanceNorm):
    """The norm for samples of 2 dimensions."""

    axes = 2
