"""einops.reduce"""

from mindspore import ops

from .axes_patterns import _flat, _in_groups, _ordered, _read, _spread


def reduce(tensor, pattern, reduction, **axes_lengths):
    """A tensor without the axes that only the left side of a pattern has: their mean, sum or max ..."""
    if isinstance(tensor, (list, tuple)):
        tensor = ops.stack(list(tensor))
    left, right, sizes = _read(pattern, tensor.shape, axes_lengths)
    tensor, axes = _spread(tensor, left, sizes)
    wanted = [axis for axis in _flat(right) if not axis.endswith(":1")]
    gone = [place for place, axis in enumerate(axes) if axis not in wanted]
    if callable(reduction):
        tensor = reduction(tensor, tuple(gone))
    elif reduction in ("max", "min", "prod"):
        for place in reversed(gone):
            tensor = {"max": ops.amax, "min": ops.amin, "prod": ops.prod}[reduction](tensor, axis=place)
    elif gone:
        tensor = getattr(tensor, reduction)(axis=tuple(gone))
    return _in_groups(_ordered(tensor, [one for one in axes if one in wanted], wanted), right, sizes)
