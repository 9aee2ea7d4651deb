"""torch.topk"""

import mindspore as ms
from mindspore import ops


def topk(input, k, dim=None, largest=True, sorted=True):
    """The largest elements along a dimension, and where they were."""
    values, indices = ops.topk(input, k, dim=dim, largest=largest, sorted=sorted)
    return values, indices.astype(ms.int64)
