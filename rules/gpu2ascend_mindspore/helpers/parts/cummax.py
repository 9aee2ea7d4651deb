"""torch.cummax"""

from mindspore import ops

from .found_elements import _found_elements


def cummax(input, dim):
    """The greatest element so far along a dimension, and where it was."""
    return _found_elements(ops.cummax, input, dim)
