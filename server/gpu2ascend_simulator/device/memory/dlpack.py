"""Tensors of the device over memory of the host, by the structures of DLPack.

The structure is released by the C library itself: a function of Python in its place would be called
while exceptions are on their way, and after the interpreter has ended.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import torch

EXTENSION_DEVICE = 12
_HEAD = struct.calcsize("@PiiiBBHPPQPP")

_malloc = ctypes.pythonapi.PyMem_RawMalloc
_malloc.argtypes, _malloc.restype = (ctypes.c_size_t,), ctypes.c_void_p
_FREE = ctypes.cast(ctypes.pythonapi.PyMem_RawFree, ctypes.c_void_p).value
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.argtypes, _capsule.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object

_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
_CODES = {
    torch.uint8: (_UINT, 8),
    torch.uint16: (_UINT, 16),
    torch.uint32: (_UINT, 32),
    torch.uint64: (_UINT, 64),
    torch.int8: (_INT, 8),
    torch.int16: (_INT, 16),
    torch.int32: (_INT, 32),
    torch.int64: (_INT, 64),
    torch.float16: (_FLOAT, 16),
    torch.float32: (_FLOAT, 32),
    torch.float64: (_FLOAT, 64),
    torch.bfloat16: (_BFLOAT, 16),
    torch.complex32: (_COMPLEX, 32),
    torch.complex64: (_COMPLEX, 64),
    torch.complex128: (_COMPLEX, 128),
    torch.bool: (_BOOL, 8),
}


def has_code(dtype: Any) -> bool:
    """Whether DLPack can say a type of elements."""
    return dtype in _CODES


def import_tensor(pointer: int, index: int, dtype: Any, shape: Any, stride: Any) -> Any:
    """A tensor of device ``index`` at an address, which stays another's to free."""
    dims = len(shape)
    address = _malloc(_HEAD + 16 * dims)
    code, bits = _CODES[dtype]
    struct.pack_into(
        f"@PiiiBBHPPQPP{2 * dims}q",
        (ctypes.c_char * (_HEAD + 16 * dims)).from_address(address),
        0,
        pointer,
        EXTENSION_DEVICE,
        index,
        dims,
        code,
        bits,
        1,
        address + _HEAD,
        address + _HEAD + 8 * dims,
        0,
        0,
        _FREE,
        *shape,
        *stride,
    )
    return torch._C._from_dlpack(_capsule(address, b"dltensor", None))
