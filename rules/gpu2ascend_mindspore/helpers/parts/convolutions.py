"""Convolutions, and the windows that they slide over."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from .common import _for_each


# averaged_windows: Means of windows, which are adjacent where no stride is given.
def _averaged(pool, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override=None):
    more = {} if divisor_override is None else {"divisor_override": divisor_override}
    return pool(
        input,
        kernel_size,
        stride=kernel_size if stride is None else stride,
        padding=padding,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        **more,
    )


# avg_pool1d: torch.nn.functional.avg_pool1d
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The means of windows, which are adjacent where no stride is given."""
    return _averaged(ops.avg_pool1d, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


# avg_pool2d: torch.nn.functional.avg_pool2d
def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The means of windows, which are adjacent where no stride is given."""
    given = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    return _averaged(ops.avg_pool2d, input, *given)


# avg_pool3d: torch.nn.functional.avg_pool3d
def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The means of windows, which are adjacent where no stride is given."""
    given = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    return _averaged(ops.avg_pool3d, input, *given)


# conv2d_layer: torch.nn.Conv2d
class Conv2d(nn.Conv2d):
    """A convolution that takes what torch's own takes."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros",
    ):  # fmt: skip
        if padding_mode != "zeros":
            raise TypeError(f"without counterpart: padding_mode={padding_mode!r}")
        pad_mode = padding if isinstance(padding, str) else "pad"
        high, wide = _for_each(0 if isinstance(padding, str) else padding, 2)
        sides = high, high, wide, wide
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, sides, dilation, groups, has_bias=bias
        )


# conv_transposed: Transposed convolutions, as convolutions of what is spread by the stride.
_CONVOLUTIONS = {1: ops.conv1d, 2: ops.conv2d, 3: ops.conv3d}


def _spread_out(input, dims, stride):
    """An input with zeros between its elements."""
    for dim in range(dims):
        step, axis = stride[dim], 2 + dim
        if step > 1:
            shape = input.shape
            wide = input.expand_dims(axis + 1)
            zeros = ops.zeros((*shape[: axis + 1], step - 1, *shape[axis + 1 :]), dtype=input.dtype)
            wide = ops.cat([wide, zeros], axis=axis + 1)
            wide = wide.reshape((*shape[:axis], shape[axis] * step, *shape[axis + 1 :]))
            input = wide[(slice(None),) * axis + (slice(0, shape[axis] * step - step + 1),)]
    return input


def _conv_transposed(dims, input, weight, bias, stride, padding, output_padding, groups, dilation):
    stride, padding, more, dilation = (
        _for_each(one, dims) for one in (stride, padding, output_padding, dilation)
    )
    kernel = weight.shape[2:]
    weight = weight.flip(tuple(range(2, 2 + dims)))
    shape = (groups, weight.shape[0] // groups, weight.shape[1], *kernel)
    weight = weight.reshape(shape).swapaxes(1, 2).reshape((groups * shape[2], shape[1], *kernel))
    input = _spread_out(input, dims, stride)
    sides = []
    for dim in reversed(range(dims)):
        side = dilation[dim] * (kernel[dim] - 1) - padding[dim]
        sides += [side, side + more[dim]]
    places = [slice(None)] * 2
    for dim in range(dims):
        before, behind = sides[2 * (dims - 1 - dim)], sides[2 * (dims - 1 - dim) + 1]
        places.append(slice(-min(before, 0), input.shape[2 + dim] + min(behind, 0)))
    input = ops.pad(input[tuple(places)], [max(one, 0) for one in sides])
    convolution = _CONVOLUTIONS[dims]
    return convolution(input, weight, bias=bias, pad_mode="pad", padding=0, dilation=dilation, groups=groups)


# conv_transpose1d: torch.nn.functional.conv_transpose1d
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _conv_transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


# conv_transpose2d: torch.nn.functional.conv_transpose2d
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _conv_transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


# conv_transpose3d: torch.nn.functional.conv_transpose3d
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _conv_transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


# conv_transposed_layer: A layer of transposed convolutions that may have more at the end.
class _Transposed:
    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
        bias=True, dilation=1, padding_mode="zeros",
    ):  # fmt: skip
        if padding_mode != "zeros":
            raise TypeError(f"without counterpart: padding_mode={padding_mode!r}")
        super().__init__(in_channels, out_channels, kernel_size, pad_mode="pad", group=groups, has_bias=bias)
        self.options = stride, padding, output_padding, groups, dilation

    def construct(self, x):
        weight = self.weight.squeeze(2) if self.dims == 1 else self.weight
        return _conv_transposed(self.dims, x, weight, self.bias if self.has_bias else None, *self.options)


# conv_transposed_layer_1d: torch.nn.ConvTranspose1d
class ConvTranspose1d(_Transposed, nn.Conv1dTranspose):
    dims = 1


# conv_transposed_layer_2d: torch.nn.ConvTranspose2d
class ConvTranspose2d(_Transposed, nn.Conv2dTranspose):
    dims = 2


# conv_transposed_layer_3d: torch.nn.ConvTranspose3d
class ConvTranspose3d(_Transposed, nn.Conv3dTranspose):
    dims = 3


# fold: torch.nn.functional.fold
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Images from the columns of their sliding blocks: where blocks overlap, the sum."""
    height, width = _for_each(output_size)
    kernel, dilation, padding, stride = map(_for_each, (kernel_size, dilation, padding, stride))
    columns = input if input.ndim == 3 else input.expand_dims(0)
    channels = columns.shape[1] // (kernel[0] * kernel[1])
    high, wide = height + 2 * padding[0], width + 2 * padding[1]
    rows = (high - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1
    across = (wide - dilation[1] * (kernel[1] - 1) - 1) // stride[1] + 1
    blocks = columns.reshape((-1, channels, kernel[0], kernel[1], rows, across))
    places = np.arange(high * wide).reshape(high, wide)
    down = np.arange(kernel[0])[:, None] * dilation[0] + np.arange(rows) * stride[0]
    along = np.arange(kernel[1])[:, None] * dilation[1] + np.arange(across) * stride[1]
    targets = Tensor(places[down[:, None, :, None], along[None, :, None, :]].reshape(-1), ms.int32)
    values = blocks.reshape((blocks.shape[0] * channels, -1)).swapaxes(0, 1)
    sums = ops.unsorted_segment_sum(values, targets, high * wide).swapaxes(0, 1)
    images = sums.reshape((blocks.shape[0], channels, high, wide))
    images = images[:, :, padding[0] : high - padding[0], padding[1] : wide - padding[1]]
    return images if input.ndim == 3 else images[0]


# functional_conv1d: torch.nn.functional.conv1d
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution, with as much padding as is given, or as a name says."""
    named = isinstance(padding, str)
    sides = {"pad_mode": padding} if named else {"pad_mode": "pad", "padding": padding}
    return ops.conv1d(input, weight, bias=bias, stride=stride, dilation=dilation, groups=groups, **sides)


# functional_conv2d: torch.nn.functional.conv2d
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution, with as much padding as is given, or as a name says."""
    named = isinstance(padding, str)
    sides = {"pad_mode": padding} if named else {"pad_mode": "pad", "padding": padding}
    return ops.conv2d(input, weight, bias=bias, stride=stride, dilation=dilation, groups=groups, **sides)


# functional_conv3d: torch.nn.functional.conv3d
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution, with as much padding as is given, or as a name says."""
    named = isinstance(padding, str)
    sides = {"pad_mode": padding} if named else {"pad_mode": "pad", "padding": padding}
    return ops.conv3d(input, weight, bias=bias, stride=stride, dilation=dilation, groups=groups, **sides)


# functional_max_pool1d: torch.nn.functional.max_pool1d
def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The maxima of windows, which are adjacent where no stride is given."""
    if return_indices:
        raise TypeError("without counterpart: return_indices")

    def wide(size, first):
        return first, *(size if isinstance(size, (tuple, list)) else (size,))

    found = ops.max_pool2d(
        input.reshape(-1, 1, 1, input.shape[-1]),
        wide(kernel_size, 1),
        stride=wide(stride or kernel_size, 1),
        padding=wide(padding, 0),
        dilation=wide(dilation, 1),
        ceil_mode=ceil_mode,
    )
    return found.reshape(*input.shape[:-1], found.shape[-1])


# interpolate: torch.nn.functional.interpolate
_LINEAR = ("linear", "bilinear", "trilinear")


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """An image of another size, given as such or by a factor."""
    if mode not in (*_LINEAR, "nearest", "area") or antialias or (mode == "area" and size is None):
        raise ValueError(f"interpolate: {mode} with these arguments gives other results here")
    if size is None:
        factors = (
            scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * (input.ndim - 2)
        )
        size = tuple(int(length * float(one)) for length, one in zip(input.shape[2:], factors))
        if recompute_scale_factor is not True and any(
            abs(new - old * float(one)) > 1e-6 for new, old, one in zip(size, input.shape[2:], factors)
        ):
            raise ValueError("interpolate: a factor that gives no whole number of places differs here")
    elif not isinstance(size, (tuple, list)):
        size = (size,) * (input.ndim - 2)
    corners = {"align_corners": bool(align_corners)} if mode in _LINEAR else {}
    return ops.interpolate(input, size=tuple(size), mode=mode, **corners)


# tensor_unfold: torch.Tensor.unfold
def unfold(tensor, dimension, size, step):
    """All pieces of a size along a dimension, in steps: copies, behind the last dimension."""
    dimension %= tensor.ndim
    starts = range(0, tensor.shape[dimension] - size + 1, step)
    places = Tensor([start + offset for start in starts for offset in range(size)])
    pieces = ops.gather(tensor, places, dimension)
    shape = (*tensor.shape[:dimension], len(starts), size, *tensor.shape[dimension + 1 :])
    return ops.moveaxis(pieces.reshape(shape), dimension + 1, -1)
