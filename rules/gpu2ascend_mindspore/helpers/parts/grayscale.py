"""torchvision.transforms.Grayscale"""

from PIL import Image

from .image_parts import _of_pil


class Grayscale:
    """An image without colours, of one channel or of three that are equal."""

    def __init__(self, num_output_channels=1):
        self.num_output_channels = num_output_channels

    def __call__(self, image):
        grey = _of_pil(image).convert("L")
        return Image.merge("RGB", [grey] * 3) if self.num_output_channels == 3 else grey
