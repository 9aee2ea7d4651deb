"""Which data types an operator refuses on the real device. The facts come from outside, as data.

Without any, nothing is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from . import trace

_DEVICE_NAMES = {
    torch.float64: "DT_DOUBLE",
    torch.float32: "DT_FLOAT",
    torch.float16: "DT_FLOAT16",
    torch.bfloat16: "DT_BFLOAT16",
    torch.int64: "DT_INT64",
    torch.int32: "DT_INT32",
    torch.int16: "DT_INT16",
    torch.int8: "DT_INT8",
    torch.uint8: "DT_UINT8",
    torch.bool: "DT_BOOL",
    torch.complex64: "DT_COMPLEX64",
    torch.complex128: "DT_COMPLEX128",
}


@dataclass(frozen=True)
class Restriction:
    """Types of elements that an operator does not take.

    Attributes:
        operator: its qualified name, without overload, such as ``aten::mm``.
        dtypes: names as in ``torch.float64`` without ``torch.``.
        raises: whether the device fails; else the use is only recorded (slow, or computed on the CPU).
    """

    operator: str
    dtypes: frozenset[str]
    raises: bool = True


_BY_OPERATOR: dict[str, dict[Any, bool]] = {}


def restrict(restrictions: Iterable[Restriction]) -> None:
    """Adds restrictions to those that are heeded."""
    for restriction in restrictions:
        of_operator = _BY_OPERATOR.setdefault(restriction.operator, {})
        of_operator.update((getattr(torch, name), restriction.raises) for name in restriction.dtypes)


def release() -> None:
    """No operator is restricted any more."""
    for of_operator in _BY_OPERATOR.values():
        of_operator.clear()


def restricted_dtypes(operator: str) -> dict[Any, bool]:
    """The types that an operator refuses, and whether it raises; the same object whatever comes later."""
    return _BY_OPERATOR.setdefault(operator, {})


def meet(operator: str, dtype: Any, raises: bool) -> None:
    """Records that an operator has met a type that it does not take.

    Raises:
        RuntimeError: the device fails there.
    """
    name = _DEVICE_NAMES.get(dtype, str(dtype))
    trace.record_refusal("dtype", operator, str(dtype).removeprefix("torch."))
    if raises:
        raise RuntimeError(f"{operator} does not support {name} on npu.")
