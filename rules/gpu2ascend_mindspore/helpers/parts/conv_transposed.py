"""Transposed convolutions, as convolutions of what is spread by the stride."""

from mindspore import ops

from .pairs import _for_each

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
