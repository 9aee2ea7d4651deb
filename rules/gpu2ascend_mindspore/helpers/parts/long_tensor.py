"""torch.LongTensor"""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops


def LongTensor(*data):
    """A tensor of int64 of the values that are given, or of a size, in which there is anything."""
    if len(data) == 1 and not isinstance(data[0], int):
        values = data[0].asnumpy() if isinstance(data[0], Tensor) else data[0]
        return Tensor(np.array(values, np.int64))
    return ops.zeros(data, dtype=ms.int64)
