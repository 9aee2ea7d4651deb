"""torch.nn.InstanceNorm1d"""

from .instance_norm import _InstanceNorm


class InstanceNorm1d(_InstanceNorm):
    """The norm for samples of 1 dimension."""

    axes = 1
