"""The operators that make an empty tensor of the device."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from ..devices.current import current_device, use_device
from ..memory import ledger
from ..memory.tensors import on_device

_empty = torch.ops.aten.empty.memory_format
_empty_strided = torch.ops.aten.empty_strided.default


def _index_of(device: Any) -> int:
    index: int = current_device() if device is None or device.index is None else device.index
    use_device(index)
    return index


def _check_dense(layout: Any, pin_memory: Any) -> None:
    if layout not in (None, torch.strided):
        raise RuntimeError(f"Only strided tensors are supported on npu, not {layout}.")
    if pin_memory:
        raise RuntimeError("Only dense CPU tensors can be pinned.")


def empty(
    size: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    memory_format: Any = None,
) -> Any:
    """``aten::empty.memory_format``."""
    _check_dense(layout, pin_memory)
    index = _index_of(device)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    with torch._C.DisableTorchFunction():
        ledger.check(index, prod(size) * dtype.itemsize)
        return on_device(_empty(size, dtype=dtype, device="cpu", memory_format=memory_format), index)


def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
) -> Any:
    """``aten::empty_strided``."""
    _check_dense(layout, pin_memory)
    index = _index_of(device)
    dtype = torch.get_default_dtype() if dtype is None else dtype
    with torch._C.DisableTorchFunction():
        return on_device(_empty_strided(size, stride, dtype=dtype, device="cpu"), index)


def zero_tensor(
    size: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None
) -> Any:
    """``aten::_efficientzerotensor``: with memory, which every operator may read."""
    return empty(size, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory).zero_()


KERNELS = {"empty.memory_format": empty, "empty_strided": empty_strided, "_efficientzerotensor": zero_tensor}
