"""torchvision.transforms.InterpolationMode"""

import enum


class InterpolationMode(enum.IntEnum):
    """Ways to make pixels of others, by the numbers that PIL has for them."""

    NEAREST = 0
    NEAREST_EXACT = 0
    LANCZOS = 1
    BILINEAR = 2
    BICUBIC = 3
    BOX = 4
    HAMMING = 5
