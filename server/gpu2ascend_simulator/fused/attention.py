"""Fused attention, in plain PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from .on_device import require_npu

__all__ = ["npu_fusion_attention"]


_COMPRESSED_MASK = (2048, 2048)


def _causal(queries: Any, keys: Any, offset: Any, device: Any) -> Any:
    rows = torch.arange(queries, device=device).unsqueeze(1)
    columns = torch.arange(keys, device=device).unsqueeze(0)
    return columns > rows + offset


def _masked_out(mask: Any, sparse_mode: Any, queries: Any, keys: Any, device: Any) -> Any:
    """Where attention is forbidden: a mask says True there. Without a mask the mode says nothing."""
    if mask is None:
        return None
    if mask.dtype != torch.bool and mask.dtype != torch.uint8:
        raise RuntimeError("atten_mask must be bool or uint8")
    if sparse_mode in (2, 3):
        if tuple(mask.shape[-2:]) != _COMPRESSED_MASK:
            raise RuntimeError(f"atten_mask must be {_COMPRESSED_MASK} for sparse_mode {sparse_mode}")
        return _causal(queries, keys, 0 if sparse_mode == 2 else keys - queries, device)
    if tuple(mask.shape[-2:]) != (queries, keys):
        raise RuntimeError(f"atten_mask must end in {(queries, keys)}, not {tuple(mask.shape)}")
    return mask.bool()


def _attention(
    query: Any, key: Any, value: Any, mask: Any, scale: Any, keep_prob: Any, sparse_mode: Any
) -> Any:
    """Of tensors (batch, heads, sequence, dimension)."""
    groups = query.shape[1] // key.shape[1]
    key, value = (tensor.repeat_interleave(groups, dim=1) for tensor in (key, value))
    scores = query.float() @ key.float().transpose(-1, -2) * scale
    forbidden = _masked_out(mask, sparse_mode, query.shape[2], key.shape[2], query.device)
    if forbidden is not None:
        scores = scores.masked_fill(forbidden, -math.inf)
    weights = torch.nn.functional.dropout(scores.softmax(-1), 1.0 - keep_prob, training=keep_prob < 1.0)
    return (weights @ value.float()).to(query.dtype)


# How each layout becomes (batch, heads, sequence, dimension), and how the result goes back.
_LAYOUTS: dict[str, tuple[Callable[[Any, int], Any], Callable[[Any], Any]]] = {
    "BNSD": (lambda x, _: x, lambda x: x),
    "BSND": (lambda x, _: x.transpose(1, 2), lambda x: x.transpose(1, 2)),
    "BSH": (lambda x, n: x.unflatten(-1, (n, -1)).transpose(1, 2), lambda x: x.transpose(1, 2).flatten(2)),
    "SBH": (
        lambda x, n: x.unflatten(-1, (n, -1)).permute(1, 2, 0, 3),
        lambda x: x.permute(2, 0, 1, 3).flatten(2),
    ),
}


def _packed_attention(query: Any, key: Any, value: Any, query_ends: Any, key_ends: Any, **how: Any) -> Any:
    """Sequences one after another (TND), each ending where the lists say."""
    if query_ends is None or key_ends is None:
        raise RuntimeError("layout TND needs actual_seq_qlen and actual_seq_kvlen")
    parts = []
    for start_q, end_q, start_k, end_k in zip(
        (0, *query_ends), query_ends, (0, *key_ends), key_ends, strict=False
    ):
        one = [
            tensor[start:end].transpose(0, 1).unsqueeze(0)
            for tensor, start, end in (
                (query, start_q, end_q),
                (key, start_k, end_k),
                (value, start_k, end_k),
            )
        ]
        parts.append(_attention(*one, **how).squeeze(0).transpose(0, 1))
    return torch.cat(parts)


def npu_fusion_attention(
    query: Any,
    key: Any,
    value: Any,
    head_num: Any,
    input_layout: Any,
    *,
    pse: Any = None,
    padding_mask: Any = None,
    atten_mask: Any = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = 2147483647,
    next_tockens: int = 2147483647,
    inner_precise: int = 0,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
) -> Any:
    """Attention; the first of the seven results is what it computes."""
    if pse is not None or padding_mask is not None or prefix is not None or sparse_mode not in (0, 1, 2, 3):
        raise NotImplementedError("the simulated attention has no pse, padding_mask, prefix or band modes")
    require_npu("npu_fusion_attention", query, key, value)
    how = {"mask": atten_mask, "scale": scale, "keep_prob": keep_prob, "sparse_mode": sparse_mode}
    if input_layout == "TND":
        if head_num != query.shape[1]:
            raise RuntimeError("head_num must be the number of heads of query")
        result = _packed_attention(query, key, value, actual_seq_qlen, actual_seq_kvlen, **how)
    else:
        to_bnsd, back = _LAYOUTS[input_layout]
        parts = (to_bnsd(tensor, head_num) for tensor in (query, key, value))
        query, key, value = parts
        if head_num != query.shape[1]:
            raise RuntimeError("head_num must be the number of heads of query")
        result = back(_attention(query, key, value, **how))
    empty = result.new_empty(0)
    return result, empty, empty, empty, 0, 0, 0
