"""torch.sort"""

import mindspore as ms
from mindspore import ops


def sort(input, dim=-1, descending=False, stable=False):
    """A tensor in order along a dimension, and where each element was."""
    values, indices = ops.sort(input, axis=dim, descending=descending)
    return values, indices.astype(ms.int64)
