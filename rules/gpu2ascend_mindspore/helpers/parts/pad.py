"""torchvision.transforms.Pad"""

from .image_parts import _framed


class Pad:
    """An image with more on its sides."""

    def __init__(self, padding, fill=0, padding_mode="constant"):
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def __call__(self, image):
        return _framed(image, self.padding, self.fill, self.padding_mode)
