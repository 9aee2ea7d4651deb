"""torchvision.transforms.ToPILImage"""

import numpy as np
from mindspore import Tensor
from PIL import Image

from .image_parts import _array

_MODES = {"uint8": "L", "int16": "I;16", "int32": "I", "float32": "F"}


class ToPILImage:
    """A tensor with the channels first, or an array with the channels last, as an image of PIL."""

    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, image):
        array = np.asarray(_array(image) if isinstance(image, Tensor) else image)
        if isinstance(image, Tensor):
            array = array if array.ndim == 2 else array.transpose(1, 2, 0)
            if array.dtype.kind == "f" and self.mode != "F":
                array = (array * array.dtype.type(255)).astype("uint8")
        array = array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array
        own = (
            _MODES.get(str(array.dtype))
            if array.ndim == 2
            else {2: "LA", 3: "RGB", 4: "RGBA"}[array.shape[2]]
        )
        if own is None or (array.ndim == 3 and array.dtype != np.uint8):
            raise TypeError(f"no image has numbers of the type {array.dtype}")
        if self.mode not in (None, own) and array.ndim == 2:
            raise ValueError(f"{self.mode} is no mode for {array.dtype}")
        return Image.frombytes(self.mode or own, array.shape[1::-1], array.tobytes())
