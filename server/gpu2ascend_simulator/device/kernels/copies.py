"""The operators that move values between devices, and to Python."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import torch

from ..memory.tensors import on_host

_copy = torch.ops.aten.copy_.default
_to_copy = torch.ops.aten._to_copy.default._op_dk
_COMPOSED = torch._C.DispatchKey.CompositeExplicitAutograd
_item = torch.ops.aten._local_scalar_dense.default


def _readable(tensor: Any) -> Any:
    """A tensor's values on the CPU, with the lazy conjugation and negation that it has."""
    if tensor.device.type != "npu":
        return tensor
    host = on_host(tensor)
    if tensor.is_conj():
        host = host.conj()
    return torch._neg_view(host) if tensor.is_neg() else host


def copy_from(self: Any, destination: Any, non_blocking: bool = False) -> Any:
    """``aten::_copy_from``: every copy from or to the device."""
    with torch._C.DisableTorchFunction():
        _copy(_readable(destination), _readable(self))
    return destination


def copy_from_and_resize(self: Any, destination: Any) -> Any:
    """``aten::_copy_from_and_resize``."""
    destination.resize_(self.shape)
    return copy_from(self, destination)


def local_scalar(self: Any) -> Any:
    """``aten::_local_scalar_dense``: the value of one element."""
    return _item(on_host(self))


def record_stream(self: Any, stream: Any) -> None:
    """``aten::record_stream``: memory is never used by two streams at a time."""


def to_copy(
    self: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Any:
    """``aten::_to_copy``: at once. For ``non_blocking``, torch would want pinned memory that it has not.

    A cast on the device makes no float64, which only comes from elsewhere or is made as such.
    """
    if dtype is torch.float64 is not self.dtype and device is None and layout is None:
        _warn_of_float64()
        dtype = torch.float32
    return _to_copy(
        _COMPOSED,
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        memory_format=memory_format,
    )


@functools.cache
def _warn_of_float64() -> None:
    """What the device says once."""
    warnings.warn("Device do not support double dtype now, dtype cast replace with float.", stacklevel=2)


KERNELS = {
    "_to_copy": to_copy,
    "_copy_from": copy_from,
    "_copy_from_and_resize": copy_from_and_resize,
    "_local_scalar_dense": local_scalar,
    "record_stream": record_stream,
}
