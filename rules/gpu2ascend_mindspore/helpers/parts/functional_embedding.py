"""torch.nn.functional.embedding"""

from mindspore import ops


def embedding(input, weight, padding_idx=None):
    """The rows of the tokens; the one for padding gets no gradient."""
    rows = ops.gather(weight, input, 0)
    if padding_idx is None:
        return rows
    place = padding_idx + weight.shape[0] if padding_idx < 0 else padding_idx
    return ops.where((input == place).expand_dims(-1), ops.stop_gradient(rows), rows)
