"""einops.rearrange"""

from mindspore import ops

from .axes_patterns import _flat, _in_groups, _ordered, _read, _spread


def rearrange(tensor, pattern, **axes_lengths):
    """A tensor, or a list of them, with its axes in the order and the groups that a pattern says."""
    if isinstance(tensor, (list, tuple)):
        tensor = ops.stack(list(tensor))
    left, right, sizes = _read(pattern, tensor.shape, axes_lengths)
    tensor, axes = _spread(tensor, left, sizes)
    wanted = [axis for axis in _flat(right) if not axis.endswith(":1")]
    if sorted(axes) != sorted(wanted):
        raise ValueError(f"the axes of both sides differ: {pattern!r}")
    return _in_groups(_ordered(tensor, axes, wanted), right, sizes)
