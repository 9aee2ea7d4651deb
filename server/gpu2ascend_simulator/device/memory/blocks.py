"""A block: memory of the host that is a device's.

The block of a tensor of the device hangs on its storage, so it lives as long as any view of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from . import ledger

_as_strided = torch._C.TensorBase.as_strided


class Block:
    """Memory of one storage of the device."""

    __slots__ = ("_flat", "index", "logical_size", "memory", "size")

    def __init__(self, memory: Any, index: int) -> None:
        """Books the memory of a storage of the CPU as a device's.

        Raises:
            RuntimeError: the device has not that much memory left.
        """
        self.size = 0
        self.index = index
        self.memory = memory
        self._flat: dict[Any, Any] = {}
        self.logical_size: int | None = None
        size = ledger.rounded(memory.nbytes())
        ledger.charge(index, size)
        self.size = size

    def __del__(self, discharge: Callable[[int, int], None] = ledger.discharge) -> None:
        """Books that the memory is free; also while the interpreter ends, when modules are empty."""
        if getattr(self, "size", 0):
            discharge(self.index, self.size)

    def resize(self, size: int) -> None:
        """Gives the block another number of bytes.

        Raises:
            RuntimeError: the device has not that much memory left.
        """
        ledger.discharge(self.index, self.size)
        self.size = 0
        rounded = ledger.rounded(size)
        ledger.charge(self.index, rounded)
        self.size = rounded
        self.memory.resize_(size)
        self.logical_size = size

    def view(self, tensor: Any) -> Any:
        """A tensor of the CPU on the memory of one of the device."""
        dtype = tensor.dtype
        flat = self._flat.get(dtype)
        if flat is None:
            empty = torch.empty(0, dtype=dtype, device="cpu")
            flat = self._flat[dtype] = empty.set_(self.memory, 0, (0,), (1,))
        return _as_strided(flat, tensor.shape, tensor.stride(), tensor.storage_offset())
