"""Images, and transforms of torchvision without a random choice."""

import enum
import math
import threading

import numpy as np
from mindspore import Tensor
from mindspore.common.api import _pynative_executor
from PIL import Image, ImageOps


# image_parts: Images of PIL, and tensors as images.
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


# center_crop: torchvision.transforms.CenterCrop
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


# compose: torchvision.transforms.Compose
class Compose:
    """Transforms one after the other."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for one in self.transforms:
            image = one(image)
        return image


# grayscale: torchvision.transforms.Grayscale
class Grayscale:
    """An image without colours, of one channel or of three that are equal."""

    def __init__(self, num_output_channels=1):
        self.num_output_channels = num_output_channels

    def __call__(self, image):
        grey = _of_pil(image).convert("L")
        return Image.merge("RGB", [grey] * 3) if self.num_output_channels == 3 else grey


# interpolation_mode: torchvision.transforms.InterpolationMode
class InterpolationMode(enum.IntEnum):
    """Ways to make pixels of others, by the numbers that PIL has for them."""

    NEAREST = 0
    NEAREST_EXACT = 0
    LANCZOS = 1
    BILINEAR = 2
    BICUBIC = 3
    BOX = 4
    HAMMING = 5


# lambda_transform: torchvision.transforms.Lambda
class Lambda:
    """A function as a transform."""

    def __init__(self, lambd):
        self.lambd = lambd

    def __call__(self, image):
        return self.lambd(image)


# make_grid: torchvision.utils.make_grid
def _within(image, low, high):
    return (np.clip(image, low, high) - low) / max(high - low, 1e-5)


def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """Images in a grid, as one image."""
    given = np.stack([one.asnumpy() for one in tensor]) if isinstance(tensor, list) else tensor.asnumpy()
    images = given.reshape((1,) * (4 - given.ndim) + given.shape)
    if images.shape[1] == 1:
        images = np.repeat(images, 3, axis=1)
    if normalize:
        parts = list(images) if scale_each else [images]
        limits = [value_range or (float(one.min()), float(one.max())) for one in parts]
        scaled = [_within(one, *pair) for one, pair in zip(parts, limits)]
        images = np.stack(scaled) if scale_each else scaled[0]
    count, channels, high, wide = images.shape
    if count == 1:
        return Tensor(images[0])
    columns = min(nrow, count)
    rows, high, wide = math.ceil(count / columns), high + padding, wide + padding
    grid = np.full((channels, high * rows + padding, wide * columns + padding), pad_value, images.dtype)
    for index, image in enumerate(images):
        top, left = index // columns * high + padding, index % columns * wide + padding
        grid[:, top : top + high - padding, left : left + wide - padding] = image
    return Tensor(grid)


# normalize: torchvision.transforms.Normalize
class Normalize:
    """Numbers less a mean, divided by a deviation, each with its own for each channel."""

    def __init__(self, mean, std, inplace=False):
        self.mean, self.std = mean, std

    def __call__(self, tensor):
        array = _array(tensor)
        if array.dtype.kind != "f":
            raise TypeError("the tensor has to be one of floating point numbers")
        mean, std = (np.asarray(one, array.dtype).reshape(-1, 1, 1) for one in (self.mean, self.std))
        if not std.all():
            raise ValueError("a deviation is zero")
        return Tensor((array - mean) / std)


# pad: torchvision.transforms.Pad
class Pad:
    """An image with more on its sides."""

    def __init__(self, padding, fill=0, padding_mode="constant"):
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def __call__(self, image):
        return _framed(image, self.padding, self.fill, self.padding_mode)


# pil_to_tensor: torchvision.transforms.PILToTensor
class PILToTensor:
    """An image of PIL as a tensor of its own numbers: channels, height, width."""

    def __call__(self, image):
        array = np.array(image)
        return Tensor(array[None] if array.ndim == 2 else np.ascontiguousarray(array.transpose(2, 0, 1)))


# resize: torchvision.transforms.Resize
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


# save_image: torchvision.utils.save_image
def save_image(tensor, fp, format=None, **kwargs):
    """Images in one file."""
    grid = make_grid(tensor, **kwargs).asnumpy()
    pixels = np.clip(grid * 255 + 0.5, 0, 255).transpose(1, 2, 0).astype("uint8")
    Image.fromarray(pixels).save(fp, format=format)


# to_pil_image: torchvision.transforms.ToPILImage
_MODES = {"uint8": "L", "int16": "I;16", "int32": "I", "float32": "F"}


class ToPILImage:
    """A tensor with the channels first, or an array with the channels last, as an image of PIL."""

    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, image):
        array = np.asarray(_array(image) if isinstance(image, Tensor) else image)
        if isinstance(image, Tensor):
            array = array if array.ndim == 2 else array.transpose(1, 2, 0)
            if array.dtype.kind == "f" and self.mode != "F":
                array = (array * array.dtype.type(255)).astype("uint8")
        array = array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array
        own = (
            _MODES.get(str(array.dtype))
            if array.ndim == 2
            else {2: "LA", 3: "RGB", 4: "RGBA"}[array.shape[2]]
        )
        if own is None or (array.ndim == 3 and array.dtype != np.uint8):
            raise TypeError(f"no image has numbers of the type {array.dtype}")
        if self.mode not in (None, own) and array.ndim == 2:
            raise ValueError(f"{self.mode} is no mode for {array.dtype}")
        return Image.frombytes(self.mode or own, array.shape[1::-1], array.tobytes())


# to_tensor: torchvision.transforms.ToTensor
class ToTensor:
    """An image of PIL, or an array of height, width and channels, as a tensor with the channels first.

    Bytes become numbers from 0 to 1; numbers of other types stay as they are.
    """

    def __call__(self, image):
        if isinstance(image, Tensor):
            raise TypeError("this is a tensor already")
        array = np.array(image)
        array = array.astype("uint8") * np.uint8(255) if getattr(image, "mode", "") == "1" else array
        array = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
        if array.dtype == np.uint8:
            return Tensor(array.astype("float32") / np.float32(255))
        return Tensor(array.astype("int16") if array.dtype == np.uint16 else np.ascontiguousarray(array))
