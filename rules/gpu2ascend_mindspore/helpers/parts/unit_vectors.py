"""torch.nn.functional.normalize"""

from mindspore import ops


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """Vectors divided by their norm."""
    if out is not None:
        raise TypeError("without counterpart: out")
    if p == 2:
        norm = ops.sqrt((input * input).sum(axis=dim, keepdims=True))
    else:
        norm = (ops.abs(input) ** p).sum(axis=dim, keepdims=True) ** (1 / p)
    return input / ops.clamp(norm, min=eps)
