"""torch.Tensor.unfold"""

from mindspore import Tensor, ops


def unfold(tensor, dimension, size, step):
    """All pieces of a size along a dimension, in steps: copies, behind the last dimension."""
    dimension %= tensor.ndim
    starts = range(0, tensor.shape[dimension] - size + 1, step)
    places = Tensor([start + offset for start in starts for offset in range(size)])
    pieces = ops.gather(tensor, places, dimension)
    shape = (*tensor.shape[:dimension], len(starts), size, *tensor.shape[dimension + 1 :])
    return ops.moveaxis(pieces.reshape(shape), dimension + 1, -1)
