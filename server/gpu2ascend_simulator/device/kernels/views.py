"""The operators that only look at memory another way. Those of the CPU do it for any device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..memory.tensors import become
from . import making

_CPU = torch._C.DispatchKey.CPU
_aten = torch.ops.aten


def _by_the_cpu(operator: Any) -> Callable[..., Any]:
    run = operator._op_dk

    def kernel(*args: Any, **kwargs: Any) -> Any:
        return run(_CPU, *args, **kwargs)

    return kernel


def _fits(tensor: Any, size: Any, stride: Any = None) -> bool:
    """Whether the memory of a tensor has room for a shape."""
    last: int = tensor.storage_offset()
    if any(extent == 0 for extent in size):
        return True
    if stride is None:
        count = 1
        for extent in size:
            count *= extent
        last += count - 1
    else:
        last += sum((extent - 1) * step for extent, step in zip(size, stride, strict=True))
    fits: bool = (last + 1) * tensor.element_size() <= tensor.untyped_storage().nbytes()
    return fits


def resize(self: Any, size: Any, *, memory_format: Any = None) -> Any:
    """``aten::resize_``: what is there stays, what is added is not set."""
    if memory_format is None and _fits(self, size):
        return _aten.resize_.default._op_dk(_CPU, self, size)
    larger = making.empty(size, dtype=self.dtype, device=self.device, memory_format=memory_format)
    kept = min(self.numel(), larger.numel())
    if kept and memory_format is None:
        larger.view(-1)[:kept].copy_(self.reshape(-1)[:kept])
    become(self, larger)
    return self


def set_empty(self: Any) -> Any:
    """``aten::set_``: no memory any more."""
    become(self, making.empty((0,), dtype=self.dtype, device=self.device))
    return self


def set_storage(self: Any, source: Any) -> Any:
    """``aten::set_.source_Storage``: all of a storage."""
    count = source.nbytes() // self.element_size()
    return _aten.set_.source_Storage_storage_offset._op_dk(_CPU, self, source, 0, (count,), (1,))


def set_tensor(self: Any, source: Any) -> Any:
    """``aten::set_.source_Tensor``: the memory of another tensor."""
    become(self, source)
    return self


KERNELS = {
    "as_strided": _by_the_cpu(_aten.as_strided.default),
    "view": _by_the_cpu(_aten.view.default),
    "_reshape_alias": _by_the_cpu(_aten._reshape_alias.default),
    "unfold": _by_the_cpu(_aten.unfold.default),
    "view_as_real": _by_the_cpu(_aten.view_as_real.default),
    "view_as_complex": _by_the_cpu(_aten.view_as_complex.default),
    "set_": set_empty,
    "set_.source_Tensor": set_tensor,
    "set_.source_Storage": set_storage,
    "set_.source_Storage_storage_offset": _by_the_cpu(_aten.set_.source_Storage_storage_offset),
    "is_set_to": _by_the_cpu(_aten.is_set_to.default),
    "resize_": resize,
}
