"""The arguments of a call, changed from CUDA to NPU as transfer_to_npu changes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

_OF_DEVICES = ("device", "device_type", "map_location", "device_id", "device_ids")
_NUMBERED = frozenset({"to", "to_empty"})
"""Functions whose positional integers are devices."""


def on_npu(value: Any) -> Any:
    """A device of CUDA, or a text or collection with some, as one of the NPU; everything else as it is."""
    if isinstance(value, str):
        return value.replace("cuda", "npu")
    if isinstance(value, torch.device):
        return torch.device("npu", value.index) if value.type == "cuda" else value
    if isinstance(value, dict):
        return {on_npu(key): on_npu(item) for key, item in value.items()}
    return value


def with_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose arguments lose CUDA: positional texts wherever ``cuda`` is in them, a path, too."""
    are_devices = getattr(function, "__name__", "") in _NUMBERED

    @functools.wraps(function)
    def changed(*args: Any, **kwargs: Any) -> Any:
        given = [_numbered(value) if are_devices else on_npu(value) for value in args]
        for name in _OF_DEVICES:
            if name in kwargs:
                kwargs[name] = _keyword(name, kwargs[name])
        return function(*given, **kwargs)

    return changed


def with_backend(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose back end becomes ``hccl``: positional texts and the keyword ``backend``."""

    @functools.wraps(function)
    def changed(*args: Any, **kwargs: Any) -> Any:
        given = [_by_hccl(value) for value in args]
        if "backend" in kwargs:
            kwargs["backend"] = _by_hccl(kwargs["backend"])
        return function(*given, **kwargs)

    return changed


def with_device_and_backend(function: Callable[..., Any]) -> Callable[..., Any]:
    """Both; the keyword ``backend`` may name the devices as well."""
    inner = with_device(with_backend(function))

    @functools.wraps(function)
    def changed(*args: Any, **kwargs: Any) -> Any:
        if "backend" in kwargs:
            kwargs["backend"] = on_npu(kwargs["backend"])
        return inner(*args, **kwargs)

    return changed


def _numbered(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return torch.device("npu", value)
    return on_npu(value)


def _keyword(name: str, value: Any) -> Any:
    if name == "device_ids" and isinstance(value, list):
        return [on_npu(item) for item in value]
    return _numbered(value) if name == "device_id" else on_npu(value)


def _by_hccl(value: Any) -> Any:
    return value.replace("nccl", "hccl") if isinstance(value, str) else value
