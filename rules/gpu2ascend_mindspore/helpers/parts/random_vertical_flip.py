"""torchvision.transforms.RandomVerticalFlip"""

from mindspore import Tensor
from PIL import Image

from .image_parts import _array
from .random_source import _random


class RandomVerticalFlip:
    """An image as in a mirror below it, with a probability."""

    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, image):
        if _random().rand() >= self.p:
            return image
        if isinstance(image, Tensor):
            return Tensor(_array(image)[..., ::-1, :].copy())
        return image.transpose(Image.FLIP_TOP_BOTTOM)
