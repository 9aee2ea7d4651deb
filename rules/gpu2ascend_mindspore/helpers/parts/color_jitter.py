"""torchvision.transforms.ColorJitter"""

import numpy as np
from PIL import Image, ImageEnhance

from .image_parts import _of_pil
from .random_source import _random


def _hue(image, shift):
    """An image with other hues: a shift of 1 is once around."""
    if image.mode in ("L", "1", "I", "F"):
        return image
    hue, saturation, value = image.convert("HSV").split()
    turned = Image.fromarray(np.array(hue) + np.uint8(int(shift * 255) % 256))
    return Image.merge("HSV", (turned, saturation, value)).convert(image.mode)


class ColorJitter:
    """An image of another brightness, contrast, saturation and hue, changed in a random order."""

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        self.brightness, self.contrast = self._range(brightness), self._range(contrast)
        self.saturation, self.hue = self._range(saturation), self._range(hue, 0, -0.5, 0.5)

    @staticmethod
    def _range(value, middle=1, least=0, most=float("inf")):
        if isinstance(value, (int, float)):
            value = (max(middle - value, 0) if middle else -value, middle + value)
        if not least <= value[0] <= value[1] <= most:
            raise ValueError(f"{value} is not between {least} and {most}")
        return None if value[0] == value[1] == middle else tuple(value)

    def __call__(self, image):
        changes = (
            (self.brightness, lambda one, by: ImageEnhance.Brightness(one).enhance(by)),
            (self.contrast, lambda one, by: ImageEnhance.Contrast(one).enhance(by)),
            (self.saturation, lambda one, by: ImageEnhance.Color(one).enhance(by)),
            (self.hue, _hue),
        )
        image = _of_pil(image)
        for number in _random().permutation(4):
            span, change = changes[number]
            image = image if span is None else change(image, _random().uniform(*span))
        return image
