"""torch.nn.functional.scaled_dot_product_attention"""

import mindspore as ms
from mindspore import ops


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """The values weighed by how well their keys fit the queries."""
    if enable_gqa:
        raise ValueError("scaled_dot_product_attention: enable_gqa has no counterpart")
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = ops.matmul(query * scale, key.swapaxes(-2, -1))
    if is_causal:
        attn_mask = ops.ones((query.shape[-2], key.shape[-2]), dtype=ms.float32).tril() > 0
    if attn_mask is not None and attn_mask.dtype == ms.bool_:
        scores = ops.masked_fill(scores, ops.logical_not(attn_mask), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = ops.softmax(scores, axis=-1)
    return ops.matmul(ops.dropout(weights, p=dropout_p, training=True) if dropout_p else weights, value)
