"""torchvision.transforms.CenterCrop"""

from .image_parts import _cut, _extent, _framed, _pair


class CenterCrop:
    """The middle of an image; a smaller image becomes black around it."""

    def __init__(self, size):
        self.size = _pair(size)

    def __call__(self, image):
        (height, width), (high, wide) = _extent(image), self.size
        more, further = max(wide - width, 0), max(high - height, 0)
        if more or further:
            image = _framed(image, (more // 2, further // 2, (more + 1) // 2, (further + 1) // 2))
            height, width = _extent(image)
        return _cut(image, round((height - high) / 2), round((width - wide) / 2), high, wide)
