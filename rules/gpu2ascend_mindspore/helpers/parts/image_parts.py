"""Images of PIL, and tensors as images."""

import threading

import numpy as np
from mindspore import Tensor
from mindspore.common.api import _pynative_executor
from PIL import Image, ImageOps


def _array(image):
    """The numbers of a tensor. Gradients would end here, so that this raises where they are taken."""
    if _pynative_executor.grad_flag() and threading.current_thread() is threading.main_thread():
        raise RuntimeError("no gradient passes through a transform of images: write it with mindspore.ops")
    return image.asnumpy()


def _extent(image):
    """Height and width."""
    return tuple(image.shape[-2:]) if isinstance(image, Tensor) else (image.height, image.width)


def _pair(size):
    """Height and width of a size, which may be one number."""
    sizes = [size] if isinstance(size, (int, float)) else list(size)
    return int(sizes[0]), int(sizes[-1])


def _cut(image, top, left, height, width):
    """A part of an image."""
    if isinstance(image, Tensor):
        return Tensor(_array(image)[..., top : top + height, left : left + width].copy())
    return image.crop((left, top, left + width, top + height))


def _of_pil(image):
    """An image of PIL, before it is a tensor."""
    if isinstance(image, Tensor):
        raise TypeError("this transform takes images of PIL: put it before ToTensor")
    return image


def _fill(image, fill):
    """A colour as PIL takes it: a number for each channel."""
    count = len(image.getbands())
    each = list(fill) if isinstance(fill, (tuple, list)) else [0 if fill is None else fill]
    each = each * count if len(each) == 1 else each
    if len(each) != count:
        raise ValueError(f"{fill} is no colour of {count} channels")
    each = each if image.mode == "F" else [int(one) for one in each]
    return tuple(each) if count > 1 else each[0]


def _framed(image, padding, fill=0, mode="constant"):
    """An image with more on each side: on the left, at the top, on the right, at the bottom."""
    sides = [padding] if isinstance(padding, int) else list(padding)
    left, top, right, bottom = sides if len(sides) == 4 else [sides[0], sides[-1]] * 2
    if not isinstance(image, Tensor) and mode == "constant":
        return ImageOps.expand(image, (left, top, right, bottom), _fill(image, fill))
    ends = [(top, bottom), (left, right)]
    if isinstance(image, Tensor):
        array, more = _array(image), {"constant_values": fill} if mode == "constant" else {}
        return Tensor(np.pad(array, [(0, 0)] * (array.ndim - 2) + ends, mode, **more))
    array = np.asarray(image)
    framed = Image.fromarray(np.pad(array, ends + [(0, 0)] * (array.ndim - 2), mode))
    if image.mode == "P":
        framed.putpalette(image.getpalette())
    return framed
