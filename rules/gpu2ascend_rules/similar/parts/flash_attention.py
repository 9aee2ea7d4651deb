"""Attention of flash-attn and xformers."""

import torch

from .devices import torch_npu

# flash_attention: The functions of flash-attn by ``torch_npu.npu_fusion_attention``.
_MASK_SIZE = 2048
"""The side of the mask that the operator takes for causal attention, whatever the lengths."""


def flash_attn_func(
    q,
    k,
    v,
    dropout_p=0.0,
    softmax_scale=None,
    causal=False,
    *,
    window_size=(-1, -1),
    softcap=0.0,
    alibi_slopes=None,
    deterministic=False,
    return_attn_probs=False,
):
    """``flash_attn.flash_attn_func``: tensors of batch, sequence, heads and head size.

    A causal mask is aligned at the lower right, as in flash-attn since 2.1. Windows, slopes, a soft cap,
    determinism and attention probabilities are refused.
    """
    _refuse_extras(window_size, softcap, alibi_slopes, deterministic, return_attn_probs)
    if causal and q.shape[1] > k.shape[1]:
        raise NotImplementedError("causal attention of more queries than keys has rows without any key")
    return torch_npu.npu_fusion_attention(
        q,
        k,
        v,
        q.shape[2],
        "BSND",
        keep_prob=1.0 - dropout_p,
        scale=_scale(q, softmax_scale),
        **_causal_arguments(causal, q.device),
    )[0]


def flash_attn_varlen_func(
    q,
    k,
    v,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q=None,
    max_seqlen_k=None,
    dropout_p=0.0,
    softmax_scale=None,
    causal=False,
    *,
    window_size=(-1, -1),
    softcap=0.0,
    alibi_slopes=None,
    deterministic=False,
    return_attn_probs=False,
    block_table=None,
):
    """``flash_attn.flash_attn_varlen_func``: sequences one after the other, with their ends.

    The ends are read on the host. What :func:`flash_attn_func` refuses is refused here, too, and tables
    of blocks.
    """
    _refuse_extras(window_size, softcap, alibi_slopes, deterministic, return_attn_probs)
    if block_table is not None:
        raise NotImplementedError("npu_fusion_attention takes no table of blocks")
    ends_q, ends_k = _ends(cu_seqlens_q), _ends(cu_seqlens_k)
    if causal and any(more > less for more, less in zip(_lengths(ends_q), _lengths(ends_k))):
        raise NotImplementedError("causal attention of more queries than keys has rows without any key")
    return torch_npu.npu_fusion_attention(
        q,
        k,
        v,
        q.shape[1],
        "TND",
        actual_seq_qlen=ends_q,
        actual_seq_kvlen=ends_k,
        keep_prob=1.0 - dropout_p,
        scale=_scale(q, softmax_scale),
        **_causal_arguments(causal, q.device),
    )[0]


def _refuse_extras(window_size, softcap, alibi_slopes, deterministic, return_attn_probs):
    if tuple(window_size) != (-1, -1):
        raise NotImplementedError("attention in a window is not carried over to the NPU")
    if softcap or alibi_slopes is not None or deterministic or return_attn_probs:
        raise NotImplementedError(
            "softcap, alibi_slopes, deterministic and return_attn_probs are not carried over to the NPU"
        )


def _scale(q, given):
    return q.shape[-1] ** -0.5 if given is None else given


def _causal_arguments(causal, device):
    """Without the mask the operator would ignore the mode, and attend to everything."""
    if not causal:
        return {}
    key = str(device)
    if key not in _CAUSAL_MASKS:
        ones = torch.ones([_MASK_SIZE, _MASK_SIZE], device=device)
        _CAUSAL_MASKS[key] = torch.triu(ones, diagonal=1).bool()
    return {"atten_mask": _CAUSAL_MASKS[key], "sparse_mode": 3}


_CAUSAL_MASKS = {}


def _ends(cumulated):
    """Where each sequence ends, as Python numbers; flash-attn's lists begin with a 0."""
    return tuple(cumulated[1:].cpu().tolist())


def _lengths(ends):
    return [end - start for start, end in zip((0, *ends), ends)]


# memory_efficient_attention: xformers' attention by ``torch_npu.npu_fusion_attention``.
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
