"""torchvision.transforms.RandomCrop"""

from .image_parts import _cut, _extent, _framed, _pair
from .random_source import _random


class RandomCrop:
    """A part of an image from a random place."""

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        self.size, self.padding, self.pad_if_needed = _pair(size), padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def __call__(self, image):
        high, wide = self.size
        if self.padding is not None:
            image = _framed(image, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed and _extent(image)[1] < wide:
            image = _framed(image, (wide - _extent(image)[1], 0), self.fill, self.padding_mode)
        if self.pad_if_needed and _extent(image)[0] < high:
            image = _framed(image, (0, high - _extent(image)[0]), self.fill, self.padding_mode)
        height, width = _extent(image)
        if height < high or width < wide:
            raise ValueError(f"an image of {height} by {width} has no part of {high} by {wide}")
        top, left = _random().randint(0, height - high + 1), _random().randint(0, width - wide + 1)
        return _cut(image, top, left, high, wide)
