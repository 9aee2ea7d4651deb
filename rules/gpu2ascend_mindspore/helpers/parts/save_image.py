"""torchvision.utils.save_image"""

import numpy as np
from PIL import Image

from .make_grid import make_grid


def save_image(tensor, fp, format=None, **kwargs):
    """Images in one file."""
    grid = make_grid(tensor, **kwargs).asnumpy()
    pixels = np.clip(grid * 255 + 0.5, 0, 255).transpose(1, 2, 0).astype("uint8")
    Image.fromarray(pixels).save(fp, format=format)
