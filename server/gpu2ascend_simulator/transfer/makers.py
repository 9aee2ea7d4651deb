"""Classes whose objects belong to a device: what replaces them makes an object of the NPU instead."""

from __future__ import annotations

from typing import Any

from .arguments import on_npu


def generator(known: Any) -> Any:
    """What replaces ``torch.Generator``; its instances are those of the class that it means."""

    class Proxy(type(known)):  # type: ignore[misc]
        def __call__(cls, device: Any = "cpu") -> Any:
            return known(on_npu(device))

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, known)

    return Proxy("Generator", (), {"__module__": "torch"})


def event(known: Any) -> Any:
    """What replaces ``torch.Event``."""

    class Proxy(known):
        def __new__(cls, device: Any = None, **kwargs: Any) -> Any:
            return super().__new__(cls, on_npu(device), **kwargs)

    return Proxy
