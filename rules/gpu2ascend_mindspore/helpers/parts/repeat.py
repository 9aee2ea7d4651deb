"""einops.repeat"""

from mindspore import ops

from .axes_patterns import _flat, _in_groups, _length, _ordered, _read, _spread


def repeat(tensor, pattern, **axes_lengths):
    """A tensor repeated along the axes that only the right side of a pattern has."""
    if isinstance(tensor, (list, tuple)):
        tensor = ops.stack(list(tensor))
    left, right, sizes = _read(pattern, tensor.shape, axes_lengths)
    tensor, axes = _spread(tensor, left, sizes)
    wanted = [axis for axis in _flat(right) if not axis.endswith(":1")]
    tensor = _ordered(tensor, axes, [one for one in wanted if one in axes])
    shape = [_length(one, sizes) if one in axes else 1 for one in wanted]
    times = [1 if one in axes else _length(one, sizes) for one in wanted]
    return _in_groups(ops.tile(tensor.reshape(tuple(shape)), tuple(times)) if shape else tensor, right, sizes)
