"""Tensors of the CPU on the memory of the wheel's tensors: what is a device's memory there is the host's."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import torch

_CPU = torch.device("cpu")
_as_strided = torch.Tensor.as_strided
_move = ctypes.memmove
_copy = torch.ops.aten.copy_.default
_storage_at = torch._C._construct_storage_from_data_pointer


class _Alias:
    """The CPU's view of one storage: a tensor without elements for each type, and where the memory was."""

    __slots__ = ("_flat", "_memory", "address", "last", "size")

    def __init__(self, storage: Any) -> None:
        self.address, self.size = storage.data_ptr(), storage.nbytes()
        self._memory = _storage_at(self.address, _CPU, self.size) if self.size else torch.UntypedStorage(0)
        self._flat: dict[Any, Any] = {}
        self.last: tuple[Any, Any] = (None, None)
        """What was read last: the type, shape, strides and offset of a view, and the view."""

    def flat(self, dtype: Any) -> Any:
        """A tensor on the memory, of which any view can be made."""
        found = self._flat.get(dtype)
        if found is None:
            empty = torch.empty(0, dtype=dtype, device=_CPU)
            found = self._flat[dtype] = empty.set_(self._memory, 0, (0,), (1,))
        return found


class _Messages:
    """How many transfers between processes are in flight, which only the libraries know."""

    pending: Any = ctypes.c_int(0)


def follow_messages() -> None:
    """Have operators wait for the transfers that their stream began before."""
    _Messages.pending = ctypes.c_int.in_dll(ctypes.CDLL("libascendcl.so"), "gpu2ascend_pending")


def on_host(tensor: Any) -> Any:
    """A tensor of the CPU on the memory of one of the wheel's, for as long as that is used."""
    alias = _alias_of(tensor)
    if isinstance(alias, _Alias):
        return _as_strided(alias.flat(tensor.dtype), tensor.shape, tensor.stride(), tensor.storage_offset())
    return alias


def to_read(tensor: Any) -> Any:
    """The same for an operator that only reads: parameters are read again and again."""
    alias = _alias_of(tensor)
    if not isinstance(alias, _Alias):
        return alias
    dtype, shape, stride, offset = tensor.dtype, tensor.shape, tensor.stride(), tensor.storage_offset()
    key = (dtype, shape, stride, offset)
    last, view = alias.last
    if last != key:
        view = _as_strided(alias.flat(dtype), shape, stride, offset)
        alias.last = key, view
    return view


def _alias_of(tensor: Any) -> Any:
    """The view of a tensor's storage; a tensor of the CPU in its place where there is no memory."""
    if _Messages.pending.value:
        torch.npu.current_stream().synchronize()
    if tensor._is_zerotensor():
        return torch._efficientzerotensor(tensor.shape, dtype=tensor.dtype, device=_CPU)
    storage = tensor.untyped_storage()
    try:
        alias = storage.gpu2ascend_alias
        if alias.address != storage.data_ptr():
            alias = storage.gpu2ascend_alias = _Alias(storage)
    except AttributeError:
        alias = storage.gpu2ascend_alias = _Alias(storage)
    if not alias.size:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=_CPU)
    return alias


def on_device(host: Any, index: int) -> Any:
    """A tensor of a device with the values and the strides of one of the CPU, in memory of the wheel's.

    Raises:
        RuntimeError: the device has not that much memory left.
    """
    if _Messages.pending.value:
        torch.npu.current_stream().synchronize()
    if host.layout is not torch.strided:
        return host.to(_device(index))
    if host._is_zerotensor() or host.is_conj() or host.is_neg():
        host = host.clone().resolve_conj().resolve_neg()
    if host.is_contiguous():
        made = torch.empty_like(host, device=_device(index))
        size = host.nbytes
        if size:
            _move(made.data_ptr(), host.data_ptr(), size)
        return made
    made = torch.empty_strided(host.shape, host.stride(), dtype=host.dtype, device=_device(index))
    if host.nbytes:
        _copy(on_host(made), host)
    return made


@functools.cache
def _device(index: int) -> Any:
    return torch.device("npu", index)


def become(tensor: Any, host: Any) -> None:
    """Gives a tensor of a device the shape and the values of one of the CPU."""
    with torch.no_grad():
        if host.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() and host.numel():
            tensor.set_(tensor.untyped_storage(), host.storage_offset(), host.shape, host.stride())
            return
        made = on_device(host, tensor.device.index)
        tensor.set_(made.untyped_storage(), made.storage_offset(), made.shape, made.stride())


def part_of(tensor: Any, size: Any, stride: Any, offset: int) -> Any:
    """A view of a tensor of a device."""
    return torch.ops.aten.as_strided.default(tensor, size, stride, offset)


def copy(self: Any, source: Any, non_blocking: bool = False) -> Any:
    """``aten::copy_``, where one of the tensors is a device's: work is done at once."""
    with torch._C.DisableTorchFunction():
        _copy(_readable(self), _readable(source))
    return self


def _readable(tensor: Any) -> Any:
    if tensor.device.type != "npu":
        return tensor
    host = on_host(tensor)
    host = host.conj() if tensor.is_conj() else host
    return torch._neg_view(host) if tensor.is_neg() else host
