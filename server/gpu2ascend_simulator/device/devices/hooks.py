"""What torch's C++ half asks of a backend made in Python. It asks little: the rest is in `patches`."""

from __future__ import annotations

from typing import Any

import torch

from .current import device_count, is_initialized


class Guard(torch._C._acc.DeviceGuard):
    """Says of which kind the device is."""

    def type_(self) -> Any:
        """The kind."""
        return torch._C._autograd.DeviceType.PrivateUse1


class Hooks(torch._C._acc.PrivateUse1Hooks):
    """Says whether there is a device."""

    def is_built(self) -> bool:
        """Whether torch was built for the device."""
        return True

    def is_available(self) -> bool:
        """Whether there is a device to use."""
        return device_count() > 0

    def has_primary_context(self, index: int) -> bool:
        """Whether a device has been used."""
        return is_initialized()


_registered: list[Any] = []
"""Torch keeps pointers to them only."""


def register() -> None:
    """Gives the backend its name, its guard and its hooks."""
    guard, hooks = Guard(), Hooks()
    _registered.extend((guard, hooks))
    torch.utils.rename_privateuse1_backend("npu")
    torch._C._acc.register_python_privateuseone_hook(hooks)
    torch._C._acc.register_python_privateuseone_device_guard(guard)
