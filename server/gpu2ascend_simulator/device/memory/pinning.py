"""Pinned memory: memory of the CPU that is marked."""

from __future__ import annotations

from typing import Any


def is_pinned(self: Any, device: Any = None) -> bool:
    """``aten::is_pinned``."""
    return getattr(self.untyped_storage(), "is_marked_pinned", False)


def pin(self: Any, device: Any = None) -> Any:
    """``aten::_pin_memory``: a copy in pinned memory."""
    pinned = self.clone()
    pinned.untyped_storage().is_marked_pinned = True
    return pinned


KERNELS = {"is_pinned": is_pinned, "_pin_memory": pin}
