"""``torch.npu.FloatTensor`` and its sisters: types that are a device and a dtype."""

from __future__ import annotations

from typing import Any

import torch

from ..devices import current_device

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


class _TensorType(type):
    dtype: Any
    is_npu: bool

    def __new__(cls, name: Any, dtype: Any) -> Any:
        made = super().__new__(cls, name, (), {"__module__": "torch.npu", "dtype": dtype})
        made.is_npu = True
        return made

    def __init__(cls, name: Any, dtype: Any) -> None:
        super().__init__(name, (), {})

    def __instancecheck__(cls, value: Any) -> Any:
        return isinstance(value, torch.Tensor) and value.is_npu and value.dtype == cls.dtype

    def __call__(cls, *args: Any) -> Any:
        where = {"dtype": cls.dtype, "device": torch.device("npu", current_device())}
        if len(args) == 1 and not isinstance(args[0], int):
            value = args[0]
            return (
                torch.empty(value, **where) if isinstance(value, torch.Size) else torch.tensor(value, **where)
            )
        return torch.empty(args or (0,), **where)

    def __str__(cls) -> Any:
        return f"torch.npu.{cls.__name__}"


BFloat16Tensor = _TensorType("BFloat16Tensor", torch.bfloat16)
BoolTensor = _TensorType("BoolTensor", torch.bool)
ByteTensor = _TensorType("ByteTensor", torch.uint8)
CharTensor = _TensorType("CharTensor", torch.int8)
DoubleTensor = _TensorType("DoubleTensor", torch.float64)
FloatTensor = _TensorType("FloatTensor", torch.float32)
HalfTensor = _TensorType("HalfTensor", torch.float16)
IntTensor = _TensorType("IntTensor", torch.int32)
LongTensor = _TensorType("LongTensor", torch.int64)
ShortTensor = _TensorType("ShortTensor", torch.int16)

_BY_NAME = {str(kind): kind for kind in (globals()[name] for name in __all__)}
_BY_DTYPE = {kind.dtype: str(kind) for kind in _BY_NAME.values()}


def install() -> None:
    """``Tensor.type`` understands these types and names them."""
    original = torch.Tensor.type

    def type_(self: Any, dtype: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        if dtype is None:
            return _BY_DTYPE.get(self.dtype, original(self)) if self.is_npu else original(self)
        kind = _BY_NAME.get(dtype) if isinstance(dtype, str) else dtype
        if isinstance(kind, _TensorType):
            device = self.device if self.is_npu else torch.device("npu", current_device())
            return self.to(device=device, dtype=kind.dtype, non_blocking=non_blocking)
        return original(self, dtype, non_blocking, **kwargs)

    torch.Tensor.type = type_
