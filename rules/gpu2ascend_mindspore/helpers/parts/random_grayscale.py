"""torchvision.transforms.RandomGrayscale"""

from .grayscale import Grayscale
from .image_parts import _of_pil
from .random_source import _random


class RandomGrayscale:
    """An image without colours, with a probability; it keeps the number of its channels."""

    def __init__(self, p=0.1):
        self.p = p

    def __call__(self, image):
        return Grayscale(len(_of_pil(image).getbands()))(image) if _random().rand() < self.p else image
