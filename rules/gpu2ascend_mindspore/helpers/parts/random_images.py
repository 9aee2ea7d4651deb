"""Transforms of torchvision with a random choice."""

import math

import numpy as np
from mindspore import Tensor
from PIL import Image, ImageEnhance

from .common import _random
from .images import Grayscale, _array, _cut, _extent, _fill, _framed, _of_pil, _pair


# color_jitter: torchvision.transforms.ColorJitter
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


# random_apply: torchvision.transforms.RandomApply
class RandomApply:
    """All of some transforms, with a probability, or none."""

    def __init__(self, transforms, p=0.5):
        self.transforms, self.p = transforms, p

    def __call__(self, image):
        if self.p >= _random().rand():
            for one in self.transforms:
                image = one(image)
        return image


# random_crop: torchvision.transforms.RandomCrop
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


# random_grayscale: torchvision.transforms.RandomGrayscale
class RandomGrayscale:
    """An image without colours, with a probability; it keeps the number of its channels."""

    def __init__(self, p=0.1):
        self.p = p

    def __call__(self, image):
        return Grayscale(len(_of_pil(image).getbands()))(image) if _random().rand() < self.p else image


# random_horizontal_flip: torchvision.transforms.RandomHorizontalFlip
class RandomHorizontalFlip:
    """An image mirrored from left to right, with a probability."""

    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, image):
        if _random().rand() >= self.p:
            return image
        if isinstance(image, Tensor):
            return Tensor(_array(image)[..., ::-1].copy())
        return image.transpose(Image.FLIP_LEFT_RIGHT)


# random_resized_crop: torchvision.transforms.RandomResizedCrop
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


# random_rotation: torchvision.transforms.RandomRotation
class RandomRotation:
    """An image that is turned by a random angle."""

    def __init__(self, degrees, interpolation=Image.NEAREST, expand=False, center=None, fill=0):
        if isinstance(degrees, (int, float)) and degrees < 0:
            raise ValueError("one number is the largest angle")
        self.degrees = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
        self.interpolation, self.expand, self.center, self.fill = interpolation, expand, center, fill

    def __call__(self, image):
        colour, angle = _fill(_of_pil(image), self.fill), _random().uniform(*self.degrees)
        return image.rotate(angle, self.interpolation, self.expand, self.center, fillcolor=colour)


# random_vertical_flip: torchvision.transforms.RandomVerticalFlip
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
