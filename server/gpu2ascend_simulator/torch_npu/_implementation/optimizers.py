"""Fused optimizers: the arithmetic of torch's own, the signature of torch_npu's."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["NpuFusedAdam", "NpuFusedAdamW", "NpuFusedSGD"]


class NpuFusedAdam(torch.optim.Adam):
    """Adam."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: int = 0,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad)


class NpuFusedAdamW(torch.optim.AdamW):
    """AdamW."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad)


class NpuFusedSGD(torch.optim.SGD):
    """SGD; the learning rate has no default."""

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: int = 0,
        dampening: int = 0,
        weight_decay: int = 0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(params, lr, momentum, dampening, weight_decay, nesterov)
