"""torch.nn.InstanceNorm3d"""

from .instance_norm import _InstanceNorm


class InstanceNorm3d(_InstanceNorm):
    """The norm for samples of 3 dimensions."""

    axes = 3
