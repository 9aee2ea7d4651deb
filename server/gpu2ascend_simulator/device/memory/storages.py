"""Storages of the device, made and resized from Python, as `torch.load` and FSDP do."""

from __future__ import annotations

from typing import Any

import torch

_of_torch = torch.UntypedStorage
_new, _resize, _nbytes = _of_torch.__new__, _of_torch.resize_, _of_torch.nbytes
_write, _set_from_file = _of_torch._write_file, _of_torch._set_from_file


def _is_ours(storage: Any) -> bool:
    found: bool = storage.device.type == "npu"
    return found


def make(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
    """``torch.UntypedStorage(size, device=...)``."""
    where = None if device is None else torch.device(device)
    if where is None or where.type != "npu":
        if where is not None:
            kwargs["device"] = where
        return _new(cls, *args, **kwargs)
    if args and not isinstance(args[0], int):
        return torch.tensor(args[0], dtype=torch.uint8, device=where).untyped_storage()
    return torch.empty(args or 0, dtype=torch.uint8, device=where).untyped_storage()


def nbytes(self: Any) -> int:
    """How many bytes a storage has."""
    block = getattr(self, "block", None)
    size: int = _nbytes(self) if block is None or block.logical_size is None else block.logical_size
    return size


def resize(self: Any, size: int) -> Any:
    """Gives a storage another number of bytes; the address by which torch knows it stays."""
    if not _is_ours(self):
        return _resize(self, size)
    block = getattr(self, "block", None)
    if block is None:
        raise RuntimeError("Trying to resize storage that is not resizable")
    block.resize(size)
    return self


def write_file(self: Any, *where: Any) -> Any:
    """Writes a storage to a file of torch's older format."""
    return _write(self.cpu() if _is_ours(self) else self, *where)


def set_from_file(self: Any, *where: Any) -> Any:
    """Reads a storage from a file of torch's older format."""
    if not _is_ours(self):
        return _set_from_file(self, *where)
    host = _of_torch(self.nbytes())
    _set_from_file(host, *where)
    self.copy_(host)
    return self


def install() -> None:
    """Changes `torch.UntypedStorage`."""
    _of_torch._write_file = write_file
    _of_torch._set_from_file = set_from_file
    _of_torch.__new__ = staticmethod(make)
    _of_torch.nbytes = _of_torch.size = _of_torch.__len__ = nbytes
    _of_torch.resize_ = resize
