"""The kernels that cast arguments before the operator itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

KEY = "AutocastPrivateUse1"
_NORMS = {
    "norm.Scalar": "norm.ScalarOpt_dtype",
    "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype",
    "norm.names_ScalarOpt_dim": "norm.names_ScalarOpt_dim_dtype",
}
"""Asked for a result of float32 by another overload, which takes a type."""
_REFUSED = {
    "binary_cross_entropy": (
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast; use "
        "binary_cross_entropy_with_logits or BCEWithLogitsLoss."
    )
}
"""Unsafe under autocast, and what is said."""
_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)
_below = torch._C._ExcludeDispatchKeyGuard
_aten = torch.ops.aten


def _is_cast(value: Any) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.device.type == "npu"
        and value.is_floating_point()
        and value.dtype is not torch.float64
    )


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast(item, dtype) for item in value]
    return value.to(dtype) if _is_cast(value) and value.dtype is not dtype else value


def _tensors(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _tensors(value)
        elif isinstance(value, torch.Tensor):
            yield value


def _casting(operator: Any, choose: Callable[[Any], Any]) -> Callable[..., Any]:
    """A kernel that casts to the type that ``choose`` finds for the arguments."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with _below(_KEYS):
            dtype = choose((*args, *kwargs.values()))
            cast = {name: _cast(value, dtype) for name, value in kwargs.items()}
            return operator(*(_cast(value, dtype) for value in args), **cast)

    return kernel


def _lower(_: Any) -> Any:
    return torch.get_autocast_dtype("npu")


def _float32(_: Any) -> Any:
    return torch.float32


def _widest(values: Any) -> Any:
    wide = any(_is_cast(tensor) and tensor.dtype is torch.float32 for tensor in _tensors(values))
    return torch.float32 if wide else torch.get_autocast_dtype("npu")


def _with_float32_result(operator: Any) -> Callable[..., Any]:
    """A kernel that asks for a result of float32, where no type is asked for."""
    place = [argument.name for argument in operator._schema.arguments].index("dtype")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with _below(_KEYS):
            asked = args[place] if len(args) > place else kwargs.get("dtype")
            if not _is_cast(args[0]) or asked is not None:
                return operator(*args, **kwargs)
            return operator(*args[:place], *args[place + 1 :], **{**kwargs, "dtype": torch.float32})

    return kernel


def _norm(plain: Any, typed: Any) -> Callable[..., Any]:
    def kernel(*args: Any) -> Any:
        with _below(_KEYS):
            if not _is_cast(args[0]):
                return plain(*args)
            defaults = [argument.default_value for argument in plain._schema.arguments[len(args) :]]
            return typed(*args, *defaults, dtype=torch.float32)

    return kernel


def _refusal(text: str) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(text)

    return kernel


def overload(name: str) -> Any:
    """The operator of a name with overload."""
    packet, _, which = name.partition(".")
    return getattr(getattr(_aten, packet), which or "default")


def _casts(name: str) -> bool:
    """Whether this torch casts an operator for accelerators: the lists grow from version to version."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", "AutocastCUDA")


def _cast_here(names: Iterable[str]) -> list[str]:
    known = set(torch._C._dispatch_get_all_op_names())
    return sorted(name for name in names if f"aten::{name}" in known and _casts(name))


def kernels() -> Iterator[tuple[str, Callable[..., Any]]]:
    """The kernels of autocast by the names of their operators, of those that this torch casts."""
    table = Path(__file__).with_name("operators.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in table if not line.startswith("#")]
    listed = {treatment: [name for own, name in rows if own == treatment] for treatment, _ in rows}
    for treatment, choose in (("lower", _lower), ("float32", _float32), ("widest", _widest)):
        for name in _cast_here(listed[treatment]):
            yield name, _casting(overload(name), choose)
    for name in _cast_here(listed["float32-result"]):
        yield name, _with_float32_result(overload(name))
    for name in _cast_here(_NORMS):
        yield name, _norm(overload(name), overload(_NORMS[name]))
    for name in _cast_here(_REFUSED):
        yield name, _refusal(_REFUSED[name])
