"""torchvision.transforms.RandomResizedCrop"""

import math

from PIL import Image

from .image_parts import _cut, _extent, _of_pil, _pair
from .random_source import _random


class RandomResizedCrop:
    """A random part of an image, of a random share and form, in one size."""

    def __init__(
        self, size, scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3), interpolation=Image.BILINEAR, antialias=True
    ):
        self.size, self.scale, self.ratio, self.interpolation = _pair(size), scale, ratio, interpolation

    def _part(self, height, width):
        for _ in range(10):
            area = height * width * _random().uniform(*self.scale)
            form = math.exp(_random().uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            wide, high = round(math.sqrt(area * form)), round(math.sqrt(area / form))
            if 0 < wide <= width and 0 < high <= height:
                top, left = _random().randint(0, height - high + 1), _random().randint(0, width - wide + 1)
                return top, left, high, wide
        high, wide = height, width
        if width / height < min(self.ratio):
            high = round(width / min(self.ratio))
        elif width / height > max(self.ratio):
            wide = round(height * max(self.ratio))
        return (height - high) // 2, (width - wide) // 2, high, wide

    def __call__(self, image):
        part = _cut(image, *self._part(*_extent(_of_pil(image))))
        return part if _extent(part) == self.size else part.resize(self.size[::-1], self.interpolation)
