"""torch.cummin"""

import mindspore as ms
from mindspore import ops


def cummin(input, dim):
    """The least element so far along a dimension, and where it was."""
    values, indices = ops.cummin(input, dim)
    return values, indices.astype(ms.int64)
