"""Autocast and loss scaling."""

from __future__ import annotations

import functools
from typing import Any

import torch

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(torch.amp.autocast):
    """Autocast for the NPU; float16 by default, as on CUDA."""

    def __init__(self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__("npu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """Loss scaling. Mind the order: ``dynamic`` stands where CUDA has ``enabled``."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        dynamic: bool = True,
        enabled: bool = True,
    ) -> None:
        super().__init__("npu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
        self._dynamic = dynamic

    def scale(self, outputs: Any) -> Any:
        """Multiplies the outputs, which must be on the NPU, by the scale."""
        if self.is_enabled():
            for output in [outputs] if isinstance(outputs, torch.Tensor) else outputs:
                if output.device.type != "npu":
                    raise ValueError(f"Device type of outputs should be npu, but got {output.device.type}")
        return super().scale(outputs)

    def update(self, new_scale: Any = None) -> None:
        """Adapts the scale; without ``dynamic`` it stays."""
        if self._dynamic or new_scale is not None or not self.is_enabled():
            super().update(new_scale)
        else:
            super().update(self.get_scale())


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    """Marks the forward of an autograd function for autocast."""
    if fwd is None:
        return functools.partial(custom_fwd, cast_inputs=cast_inputs)
    return torch.amp.custom_fwd(fwd, device_type="npu", cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    """Marks the backward of an autograd function for autocast."""
    return torch.amp.custom_bwd(bwd, device_type="npu")
