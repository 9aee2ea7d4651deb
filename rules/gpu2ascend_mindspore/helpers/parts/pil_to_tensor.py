"""torchvision.transforms.PILToTensor"""

import numpy as np
from mindspore import Tensor


class PILToTensor:
    """An image of PIL as a tensor of its own numbers: channels, height, width."""

    def __call__(self, image):
        array = np.array(image)
        return Tensor(array[None] if array.ndim == 2 else np.ascontiguousarray(array.transpose(2, 0, 1)))
