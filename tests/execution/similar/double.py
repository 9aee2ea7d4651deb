"""A double of torch_npu that records how its operators are called, and computes on the CPU what they do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch


class Double:
    """Stands in for the module ``torch_npu``. Every call is kept with its arguments, by position and name."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.optim = SimpleNamespace(
            NpuFusedAdam=self._recorder("NpuFusedAdam"),
            NpuFusedAdamW=self._recorder("NpuFusedAdamW"),
            NpuFusedSGD=self._recorder("NpuFusedSGD"),
        )

    def _recorder(self, name: str) -> Any:
        def record(*positional: Any, **named: Any) -> str:
            self.calls.append((name, positional, named))
            return name

        return record

    @property
    def last(self) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
        """The name, positional and named arguments of the last call."""
        return self.calls[-1]

    def npu_fusion_attention(self, *positional: Any, **named: Any) -> tuple[torch.Tensor, None]:
        """Attention as the operator's documentation has it: True in the mask leaves out; the mode 3 aligns
        the triangle at the lower right; without a mask the mode does nothing."""
        self.calls.append(("npu_fusion_attention", positional, named))
        q, k, v, heads, layout = positional
        mode = named.get("sparse_mode", 0) if named.get("atten_mask") is not None else 0
        if layout == "BSND":
            assert heads == q.shape[2]
            return _attention(q, k, v, named["scale"], mode), None
        assert layout == "TND" and heads == q.shape[1]
        pieces, first_q, first_k = [], 0, 0
        for end_q, end_k in zip(named["actual_seq_qlen"], named["actual_seq_kvlen"], strict=True):
            parts = (q[None, first_q:end_q], k[None, first_k:end_k], v[None, first_k:end_k])
            pieces.append(_attention(*parts, named["scale"], mode)[0])
            first_q, first_k = end_q, end_k
        return torch.cat(pieces), None

    def npu_rms_norm(
        self, x: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6
    ) -> tuple[torch.Tensor, None]:
        """The norm over the dimensions of ``gamma``; the reciprocal is not asked for."""
        self.calls.append(("npu_rms_norm", (x, gamma), {"epsilon": epsilon}))
        dims = tuple(range(-gamma.dim(), 0))
        return x / torch.sqrt((x * x).mean(dims, keepdim=True) + epsilon) * gamma, None

    def npu_swiglu(self, x: torch.Tensor, dim: int) -> torch.Tensor:
        """SiLU of the first half times the second."""
        self.calls.append(("npu_swiglu", (x,), {"dim": dim}))
        first, second = torch.chunk(x, 2, dim)
        return torch.nn.functional.silu(first) * second

    def npu_geglu(
        self, x: torch.Tensor, dim: int = -1, approximate: int = 1
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The first half times the GELU of the second: by ``erf`` for 0, by ``tanh`` for 1."""
        self.calls.append(("npu_geglu", (x,), {"dim": dim, "approximate": approximate}))
        first, second = torch.chunk(x, 2, dim)
        gelu = torch.nn.functional.gelu(second, approximate=("none", "tanh")[approximate])
        return first * gelu, gelu

    def npu_rotary_mul(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        """Its default mode, ``half``."""
        self.calls.append(("npu_rotary_mul", (x, cos, sin), {}))
        first, second = x.chunk(2, -1)
        return x * cos + torch.cat((-second, first), -1) * sin


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, mode: int) -> torch.Tensor:
    groups = q.shape[2] // k.shape[2]
    k, v = (tensor.repeat_interleave(groups, 2) for tensor in (k, v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if mode:
        lengths = scores.shape[-2:]
        shift = lengths[1] - lengths[0] if mode == 3 else 0
        left_out = torch.ones(lengths, dtype=torch.bool).triu(1 + shift)
        scores = scores.masked_fill(left_out, float("-inf"))
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
