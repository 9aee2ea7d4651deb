"""Puts the device into torch, once for a process and for good."""

from __future__ import annotations

from typing import Any

import torch

from . import settings
from .autocast import casting
from .devices import current, events, hooks, streams
from .kernels import attention, batch_norm, convolutions, copies, making, recurrent, views
from .memory import pinning, storages, tensors
from .operators.fallback import direct_kernels, fallback
from .operators.machine import MACHINE
from .operators.untraced import untraced
from .patches import accelerator, autograd, factories, modules, parallel
from .randomness import drawing, generators

_RECORDED = frozenset({casting.KEY})
"""What dispatches to operators that are part of a trace."""
_libraries: list[Any] = []
_KERNELS: dict[str, Any] = {
    **making.KERNELS,
    **views.KERNELS,
    **copies.KERNELS,
    **convolutions.KERNELS,
    **batch_norm.KERNELS,
    **attention.KERNELS,
    **recurrent.KERNELS,
}


def install(
    devices: int, memory_per_device: int, typed_out_of_memory: bool = True, devices_of_host: int = 0
) -> None:
    """Makes the device ``npu``; a second call only changes the settings. The arguments are those of them."""
    current = settings.CURRENT
    current.devices = devices
    current.devices_of_host = devices_of_host
    current.memory_per_device = memory_per_device
    current.typed_out_of_memory = typed_out_of_memory
    if _libraries:
        return
    _set_machine()
    hooks.register()
    _register_kernels()
    torch.Stream, torch.Event, torch.Generator = streams.Stream, events.Event, generators.Generator
    for patch in (storages, accelerator, autograd, factories, modules, parallel):
        patch.install()


def _set_machine() -> None:
    MACHINE.on_host = MACHINE.to_read = tensors.on_host
    MACHINE.on_device = tensors.on_device
    MACHINE.become = tensors.become_host
    MACHINE.part_of = tensors.part_of
    MACHINE.current_device = current.current_device
    MACHINE.draw = drawing.draw


def _library(namespace: str, kind: str) -> Any:
    library = torch.library.Library(namespace, kind)
    _libraries.append(library)
    return library


def _register_kernels() -> None:
    rest = _library("_", "IMPL")
    rest.fallback(untraced(fallback), "PrivateUse1")
    rest.fallback(torch.library.fallthrough_kernel, casting.KEY)
    own = _library("aten", "IMPL")
    kernels: dict[str, Any]
    for kernels, key in (
        (dict(direct_kernels()), "PrivateUse1"),
        (_KERNELS, "PrivateUse1"),
        (recurrent.KERNELS, "AutogradPrivateUse1"),
        (pinning.KERNELS, "CPU"),
        (dict(casting.kernels()), casting.KEY),
    ):
        for name, kernel in kernels.items():
            own.impl(name, kernel if key in _RECORDED else untraced(kernel), key)
    # A copy reads the lazy conjugation and negation of its source itself.
    own.impl("_copy_from", torch.library.fallthrough_kernel, "Conjugate")
    own.impl("_copy_from", torch.library.fallthrough_kernel, "Negative")
