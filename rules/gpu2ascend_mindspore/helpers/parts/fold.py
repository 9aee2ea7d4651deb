"""torch.nn.functional.fold"""

from mindspore import ops

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
    images = ops.zeros((blocks.shape[0], channels, high, wide), dtype=input.dtype)
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilation[0], j * dilation[1]
            bottom, right = top + stride[0] * (rows - 1) + 1, left + stride[1] * (across - 1) + 1
            place = (slice(None), slice(None), slice(top, bottom, stride[0]), slice(left, right, stride[1]))
            images[place] = images[place] + blocks[:, :, i, j]
    images = images[:, :, padding[0] : high - padding[0], padding[1] : wide - padding[1]]
    return images if input.ndim == 3 else images[0]
