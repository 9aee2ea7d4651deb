"""torch.nn.functional.softmax"""

from mindspore import ops


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Shares that sum to one along a dimension."""
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return ops.softmax(input if dtype is None else input.astype(dtype), axis=dim)
