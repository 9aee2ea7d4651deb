"""Autocast and scalers of losses for a device that is mapped to the CPU: those of the CPU."""

from __future__ import annotations

import functools
from typing import Any

from .kinds import Kind


def cast_on_the_cpu(torch: Any, kind: Kind) -> None:
    """Change the classes of torch, and what ``torch.cuda.amp`` has of them."""
    autocast = _autocast(torch, kind)
    torch.autocast = torch.amp.autocast = torch.amp.autocast_mode.autocast = autocast
    scaler = _scaler(torch, kind)
    torch.amp.GradScaler = scaler
    if hasattr(torch.amp, "grad_scaler"):
        torch.amp.grad_scaler.GradScaler = scaler
    _map_functions(torch, kind)
    _cast_for_cuda(torch, autocast, scaler)


def _autocast(torch: Any, kind: Kind) -> Any:
    known = torch.amp.autocast_mode.autocast

    class Autocast(known):  # type: ignore[misc, valid-type]
        def __init__(self, device_type: str = kind.device, dtype: Any = None, *args: Any, **kwargs: Any):
            is_mapped = kind.is_of(torch, device_type)
            wanted = dtype or (torch.float16 if is_mapped else None)
            super().__init__("cpu" if is_mapped else device_type, wanted, *args, **kwargs)

    return Autocast


def _scaler(torch: Any, kind: Kind) -> Any:
    """Before torch 2.3 the CPU has no kernels for it: the scaler is there, and scales by nothing."""
    known = getattr(torch.amp, "GradScaler", None)
    if known is None:

        class Unscaled(torch.cuda.amp.GradScaler):  # type: ignore[misc, name-defined, unused-ignore]
            def __init__(self, *_: Any, **__: Any) -> None:
                super().__init__(enabled=False)

        return Unscaled

    class Scaler(known):  # type: ignore[misc, valid-type]
        def __init__(self, device: str = kind.device, *args: Any, **kwargs: Any) -> None:
            super().__init__("cpu" if kind.is_of(torch, device) else device, *args, **kwargs)

    return Scaler


def _map_functions(torch: Any, kind: Kind) -> None:
    """``custom_fwd`` and ``custom_bwd`` name a device from torch 2.4 on; before, they are those of CUDA."""
    for name in ("custom_fwd", "custom_bwd"):
        known = getattr(torch.amp, name, None)
        setattr(torch.amp, name, _of_cuda(torch, name) if known is None else _mapped(torch, kind, known))


def _of_cuda(torch: Any, name: str) -> Any:
    known = getattr(torch.cuda.amp, name)

    def marked(function: Any = None, *, device_type: str, **given: Any) -> Any:
        return known(function, **given)

    return marked


def _mapped(torch: Any, kind: Kind, known: Any) -> Any:
    @functools.wraps(known)
    def marked(function: Any = None, *, device_type: str, **given: Any) -> Any:
        return known(function, device_type=kind.on_cpu(torch, device_type), **given)

    return marked


def _cast_for_cuda(torch: Any, autocast: Any, scaler: Any) -> None:
    def autocast_of_cuda(enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> Any:
        return autocast("cuda", dtype, enabled, cache_enabled)

    torch.cuda.amp.autocast = torch.cuda.amp.autocast_mode.autocast = autocast_of_cuda
    made = functools.partial(scaler, "cuda")
    torch.cuda.amp.GradScaler = torch.cuda.amp.grad_scaler.GradScaler = made
