"""``xformers.ops.memory_efficient_attention`` by ``torch_npu.npu_fusion_attention``."""

from .flash_attention import flash_attn_func


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, *, op=None):
    """``xformers.ops.memory_efficient_attention`` without a bias: tensors of batch, sequence, heads and
    head size, or without the heads. A bias is refused; which kernel ``op`` asks for does not matter.
    """
    if attn_bias is not None:
        raise NotImplementedError("attn_bias is not carried over to the NPU: see npu_fusion_attention")
    if query.dim() == 3:
        query, key, value = query.unsqueeze(2), key.unsqueeze(2), value.unsqueeze(2)
        return flash_attn_func(query, key, value, p, scale).squeeze(2)
    return flash_attn_func(query, key, value, p, scale)
