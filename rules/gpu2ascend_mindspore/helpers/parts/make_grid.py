"""torchvision.utils.make_grid"""

import math

import numpy as np
from mindspore import Tensor


def _within(image, low, high):
    return (np.clip(image, low, high) - low) / max(high - low, 1e-5)


def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """Images beside and below each other, in one."""
    given = np.stack([one.asnumpy() for one in tensor]) if isinstance(tensor, list) else tensor.asnumpy()
    images = given.reshape((1,) * (4 - given.ndim) + given.shape)
    if images.shape[1] == 1:
        images = np.repeat(images, 3, axis=1)
    if normalize:
        parts = list(images) if scale_each else [images]
        limits = [value_range or (float(one.min()), float(one.max())) for one in parts]
        scaled = [_within(one, *pair) for one, pair in zip(parts, limits)]
        images = np.stack(scaled) if scale_each else scaled[0]
    count, channels, high, wide = images.shape
    if count == 1:
        return Tensor(images[0])
    columns = min(nrow, count)
    rows, high, wide = math.ceil(count / columns), high + padding, wide + padding
    grid = np.full((channels, high * rows + padding, wide * columns + padding), pad_value, images.dtype)
    for index, image in enumerate(images):
        top, left = index // columns * high + padding, index % columns * wide + padding
        grid[:, top : top + high - padding, left : left + wide - padding] = image
    return Tensor(grid)
