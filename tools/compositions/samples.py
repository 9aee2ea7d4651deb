"""Calls of PyTorch's APIs: PyTorch's own test samples, and some for helpers that those leave out."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from .helpers import helper_calls
from .trace import Call

_MANY = 40
"""Samples of one API at most."""


def samples() -> Iterator[Call]:
    """Every call; each runs only when asked to."""
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(0)
    yield from _functions(torch)
    yield from _modules(torch)
    yield from helper_calls()


def _functions(torch: Any) -> Iterator[Call]:
    """Functions, the methods of tensors that compute the same, and their other public names."""
    tests: Any = importlib.import_module("torch.testing._internal.common_methods_invocations")
    for info in tests.op_db:
        dtype = torch.float32 if torch.float32 in info.dtypes else next(iter(info.dtypes), None)
        names = [name for name in _public_names(info) if _exists(torch, name)]
        if dtype is None or not names:
            continue
        differentiable = torch.float32 in info.dtypes and info.supports_autograd
        for sample in _taken(info, dtype, requires_grad=differentiable):
            run = _bound(info, sample)
            yield from (Call(name, run) for name in names)


def _taken(info: Any, dtype: Any, *, requires_grad: bool) -> list[Any]:
    try:
        return list(islice(info.sample_inputs("cpu", dtype, requires_grad=requires_grad), _MANY))
    except Exception:  # samples that this build cannot make
        return []


def _bound(info: Any, sample: Any) -> Callable[[], Any]:
    return lambda: info(sample.input, *sample.args, **sample.kwargs)


def _public_names(info: Any) -> Iterator[str]:
    yield f"torch.{info.name}"
    yield from (f"torch.{alias.name}" for alias in info.aliases)
    for method in (info.method_variant, info.inplace_variant):
        if hasattr(method, "__name__"):
            yield f"torch.Tensor.{method.__name__}"


def _exists(torch: Any, name: str) -> bool:
    if name.startswith(("torch.torch.", "torch._")):
        return False
    current = torch
    for part in name.split(".")[1:]:
        current = getattr(current, part, None)
        if current is None:
            return False
    return True


def _modules(torch: Any) -> Iterator[Call]:
    tests: Any = importlib.import_module("torch.testing._internal.common_modules")
    for info in tests.module_db:
        name = f"torch.{info.name}"
        if not _exists(torch, name):
            continue
        inputs = info.module_inputs_func(
            info, device="cpu", dtype=torch.float32, requires_grad=True, training=True
        )
        yield from (Call(name, _module_call(info.module_cls, sample)) for sample in inputs[:_MANY])


def _module_call(cls: Any, sample: Any) -> Callable[[], Any]:
    def run() -> Any:
        module = cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
        forward = sample.forward_input
        return module(*forward.args, **forward.kwargs) if forward is not None else module

    return run
