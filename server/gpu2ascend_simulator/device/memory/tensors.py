"""From a tensor of the CPU to one of the device on the same memory, and back."""

from __future__ import annotations

from typing import Any

import torch

from ..devices.current import use_device
from .blocks import Block
from .dlpack import has_code, import_tensor

_CPU = torch._C.DispatchKey.CPU
_as_strided = torch.ops.aten.as_strided.default._op_dk
_set_storage = torch.ops.aten.set_.source_Storage_storage_offset


def on_device(host: Any, index: int) -> Any:
    """A tensor of device ``index`` on the memory of a tensor of the CPU, which nobody else may use.

    Raises:
        RuntimeError: there is no such device, it has no memory left, or the tensor is not strided.
    """
    use_device(index)
    if host.layout is not torch.strided:
        raise RuntimeError(f"Only strided tensors are supported on npu, not {host.layout}.")
    if host.is_neg() or host.is_conj():
        host = host.resolve_conj().resolve_neg()
    memory = host.untyped_storage()
    block = Block(memory, index)
    if host.storage_offset() or not has_code(host.dtype) or memory.nbytes() != host.nbytes:
        return _part_of(block, host)
    made = import_tensor(host.data_ptr(), index, host.dtype, host.shape, host.stride())
    made.untyped_storage().block = block
    return made


def _part_of(block: Block, host: Any) -> Any:
    """A tensor of the device that is not all of its storage, or of a type that DLPack has no code for."""
    memory = block.memory
    everything = import_tensor(memory.data_ptr(), block.index, torch.uint8, (memory.nbytes(),), (1,))
    everything.untyped_storage().block = block
    empty = import_tensor(0, block.index, torch.uint8, (0,), (1,)).view(host.dtype)
    return _set_storage._op_dk(
        _CPU, empty, everything.untyped_storage(), host.storage_offset(), host.shape, host.stride()
    )


def on_host(tensor: Any) -> Any:
    """A tensor of the CPU on the memory of a tensor of the device."""
    storage = tensor.untyped_storage()
    try:
        block = storage.block
    except AttributeError:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cpu")
    return block.view(tensor)


def part_of(tensor: Any, size: Any, stride: Any, offset: int) -> Any:
    """A view of a tensor of the device."""
    return _as_strided(_CPU, tensor, size, stride, offset)


def become_host(tensor: Any, host: Any) -> None:
    """Gives a tensor of the device the shape and the values of a tensor of the CPU that nobody else uses."""
    become(tensor, on_device(host, tensor.device.index))


def become(tensor: Any, other: Any) -> None:
    """Gives a tensor of the device the memory and the shape of another."""
    _set_storage._op_dk(
        _CPU, tensor, other.untyped_storage(), other.storage_offset(), other.shape, other.stride()
    )
