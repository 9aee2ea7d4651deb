"""torchvision.transforms.Normalize"""

import numpy as np
from mindspore import Tensor

from .image_parts import _array


class Normalize:
    """Numbers less a mean, divided by a deviation, each with its own for each channel."""

    def __init__(self, mean, std, inplace=False):
        self.mean, self.std = mean, std

    def __call__(self, tensor):
        array = _array(tensor)
        if array.dtype.kind != "f":
            raise TypeError("the tensor has to be one of floating point numbers")
        mean, std = (np.asarray(one, array.dtype).reshape(-1, 1, 1) for one in (self.mean, self.std))
        if not std.all():
            raise ValueError("a deviation is zero")
        return Tensor((array - mean) / std)
