"""torch.nn.functional.pairwise_distance"""

from mindspore import ops


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The norm of the differences, along the last dimension."""
    return ops.vector_norm(x1 - x2 + eps, ord=p, axis=-1, keepdims=keepdim)
