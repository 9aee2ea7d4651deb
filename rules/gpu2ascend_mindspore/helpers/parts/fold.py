"""torch.nn.functional.fold"""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from .pairs import _for_each


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Images from the columns of their sliding blocks: where blocks overlap, the sum."""
    height, width = _for_each(output_size)
    kernel, dilation, padding, stride = map(_for_each, (kernel_size, dilation, padding, stride))
    columns = input if input.ndim == 3 else input.expand_dims(0)
    channels = columns.shape[1] // (kernel[0] * kernel[1])
    high, wide = height + 2 * padding[0], width + 2 * padding[1]
    rows = (high - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1
    across = (wide - dilation[1] * (kernel[1] - 1) - 1) // stride[1] + 1
    blocks = columns.reshape((-1, channels, kernel[0], kernel[1], rows, across))
    places = np.arange(high * wide).reshape(high, wide)
    down = np.arange(kernel[0])[:, None] * dilation[0] + np.arange(rows) * stride[0]
    along = np.arange(kernel[1])[:, None] * dilation[1] + np.arange(across) * stride[1]
    targets = Tensor(places[down[:, None, :, None], along[None, :, None, :]].reshape(-1), ms.int32)
    values = blocks.reshape((blocks.shape[0] * channels, -1)).swapaxes(0, 1)
    sums = ops.unsorted_segment_sum(values, targets, high * wide).swapaxes(0, 1)
    images = sums.reshape((blocks.shape[0], channels, high, wide))
    images = images[:, :, padding[0] : high - padding[0], padding[1] : wide - padding[1]]
    return images if input.ndim == 3 else images[0]
