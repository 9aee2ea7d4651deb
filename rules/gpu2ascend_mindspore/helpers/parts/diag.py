"""torch.diag"""

from mindspore import ops


def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    return input.diagonal(diagonal) if input.ndim == 2 else ops.diagflat(input, diagonal)
