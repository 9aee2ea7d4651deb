"""torchvision.transforms.Resize"""

from PIL import Image

from .image_parts import _extent, _of_pil


class Resize:
    """An image of a height and a width, or of a length of its shorter side."""

    def __init__(self, size, interpolation=Image.BILINEAR, max_size=None, antialias=True):
        self.size, self.interpolation, self.max_size = size, interpolation, max_size

    def __call__(self, image):
        height, width = _extent(_of_pil(image))
        sizes = [self.size] if isinstance(self.size, int) else list(self.size)
        if self.max_size is not None and (len(sizes) == 2 or self.max_size <= sizes[0]):
            raise ValueError("max_size is for one number that is smaller")
        if len(sizes) == 1:
            short, long = sizes[0], int(sizes[0] * max(height, width) / min(height, width))
            if self.max_size is not None and long > self.max_size:
                short, long = int(self.max_size * short / long), self.max_size
            sizes = [long, short] if width <= height else [short, long]
        return image if sizes == [height, width] else image.resize((sizes[1], sizes[0]), self.interpolation)
