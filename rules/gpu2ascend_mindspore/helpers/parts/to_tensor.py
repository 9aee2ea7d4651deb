"""torchvision.transforms.ToTensor"""

import numpy as np
from mindspore import Tensor


class ToTensor:
    """An image of PIL, or an array of height, width and channels, as a tensor with the channels first.

    Bytes become numbers from 0 to 1; numbers of other types stay as they are.
    """

    def __call__(self, image):
        if isinstance(image, Tensor):
            raise TypeError("this is a tensor already")
        array = np.array(image)
        array = array.astype("uint8") * np.uint8(255) if getattr(image, "mode", "") == "1" else array
        array = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
        if array.dtype == np.uint8:
            return Tensor(array.astype("float32") / np.float32(255))
        return Tensor(array.astype("int16") if array.dtype == np.uint16 else np.ascontiguousarray(array))
