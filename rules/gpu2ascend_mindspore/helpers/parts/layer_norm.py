"""torch.nn.functional.layer_norm"""

from mindspore import ops


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """A tensor less its mean, by its deviation, over the last dimensions."""
    axes = tuple(range(-len(normalized_shape), 0))
    centred = input - input.mean(axes, keep_dims=True)
    result = centred * ops.rsqrt((centred * centred).mean(axes, keep_dims=True) + eps)
    result = result if weight is None else result * weight
    return result if bias is None else result + bias
