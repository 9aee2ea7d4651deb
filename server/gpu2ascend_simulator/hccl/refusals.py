"""What HCCL does not take: tensors of another device, and sums of some types. It moves every type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from ..device import trace

_SUMMED = frozenset(
    {torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32}
)
_SUMMED_BY_ALL = _SUMMED | {torch.bool, torch.uint8}
"""What ``all_reduce`` takes beyond the other reductions: torch_npu widens these itself."""


def require_device(tensors: Iterable[Any]) -> None:
    """Check that a group of HCCL alone is given tensors of the device.

    Raises:
        RuntimeError: a tensor is elsewhere.
    """
    for tensor in tensors:
        if tensor.device.type != "npu":
            trace.record_refusal("hccl-device", "hccl", tensor.device.type)
            raise RuntimeError(f"No backend type associated with device type {tensor.device.type}")


def require_summable(tensors: Iterable[Any], by_all: bool = False) -> None:
    """Check that a reduction is given types that HCCL adds up.

    Args:
        tensors: what is reduced.
        by_all: whether it is ``all_reduce``.

    Raises:
        RuntimeError: one is of another type, or elsewhere.
    """
    given = list(tensors)
    require_device(given)
    known = _SUMMED_BY_ALL if by_all else _SUMMED
    for tensor in given:
        if tensor.dtype not in known:
            name = str(tensor.dtype).removeprefix("torch.")
            trace.record_refusal("hccl-dtype", "all_reduce" if by_all else "reduce", name)
            raise RuntimeError(f"HCCL: Unsupported data type {name} in a reduction.")
