"""torch.cummin"""

from mindspore import ops

from .found_elements import _found_elements


def cummin(input, dim):
    """The least element so far along a dimension, and where it was."""
    return _found_elements(ops.cummin, input, dim)
