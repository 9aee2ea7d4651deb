"""torchvision.transforms.RandomRotation"""

from PIL import Image

from .image_parts import _fill, _of_pil
from .random_source import _random


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
