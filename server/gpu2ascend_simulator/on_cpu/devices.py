"""Replaces devices among the arguments of torch's functions by the CPU; tensors say they are elsewhere."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from .kinds import Kind


def map_devices(torch: Any, kind: Kind) -> None:
    """From now on a device of the kind means the CPU, in every thread.

    For code outside torch, each tensor is on the device: programs branch on it more often than they
    keep some tensors elsewhere on purpose.
    """
    mode = _mode(torch, kind)
    mode().__enter__()
    _enter_in_threads(mode)
    _enter_in_backward(torch, mode)
    _load_on_the_cpu(torch)
    _move_modules(torch, kind)
    torch.Generator = _generators(torch, kind)


def _mode(torch: Any, kind: Kind) -> Any:
    from torch.overrides import TorchFunctionMode

    library = os.path.dirname(torch.__file__) + os.sep  # noqa: PTH120
    where = torch.Tensor.device.__get__
    flag = getattr(torch.Tensor, f"is_{kind.device}", None)
    is_there = flag.__get__ if flag is not None else None

    class OnCpu(TorchFunctionMode):
        """The mapping, while it is entered."""

        def __torch_function__(
            self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if function in (where, is_there):
                if sys._getframe(1).f_code.co_filename.startswith(library):
                    return function(*args)
                return torch.device(kind.device, 0) if function == where else True
            if function is torch.device:  # stays what the program compares with and branches on
                is_number = len(args) == 1 and type(args[0]) is int
                return function(kind.device, *args) if is_number else function(*args, **(kwargs or {}))
            on_cpu = kind.device_on_cpu if function is torch.Tensor.to else kind.on_cpu
            given = [on_cpu(torch, value) for value in args]
            return function(*given, **_named_on_cpu(torch, kind, kwargs or {}))

    return OnCpu


def _named_on_cpu(torch: Any, kind: Kind, named: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: (kind.device_on_cpu if name == "device" else kind.on_cpu)(torch, value)
        for name, value in named.items()
    }


def _enter_in_backward(torch: Any, mode: Any) -> None:
    """A mode does not hold inside of what it handles, and backward runs functions of the project."""
    variable = torch.autograd.Variable
    engine = variable._execution_engine

    class Engine:
        """The engine of autograd, in which the mapping holds."""

        def run_backward(self, *args: Any, **kwargs: Any) -> Any:
            with contextlib.nullcontext() if _is_entered(torch, mode) else mode():
                return engine.run_backward(*args, **kwargs)

        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

    variable._execution_engine = Engine()


def _is_entered(torch: Any, mode: Any) -> bool:
    entered = range(torch._C._len_torch_function_stack())
    return any(isinstance(torch._C._get_function_stack_at(number), mode) for number in entered)


def _enter_in_threads(mode: Any) -> None:
    """A mode holds in the thread that entered it."""
    original = threading.Thread.run

    def run(self: threading.Thread) -> None:
        with mode():
            original(self)

    threading.Thread.run = run  # type: ignore[method-assign]


def _load_on_the_cpu(torch: Any) -> None:
    load = torch.load

    @functools.wraps(load)
    def load_on_the_cpu(file: Any, *_: Any, **given: Any) -> Any:
        return load(file, **{**given, "map_location": "cpu"})

    torch.load = load_on_the_cpu


def _move_modules(torch: Any, kind: Kind) -> None:
    """Modules, pinned memory and streams' tensors are where they are."""
    original = torch.nn.Module.to

    @functools.wraps(original)
    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = [kind.device_on_cpu(torch, value) for value in args]
        return original(self, *given, **_named_on_cpu(torch, kind, kwargs))

    torch.nn.Module.to = to
    for holder in (torch.Tensor, torch.nn.Module):
        setattr(holder, kind.device, lambda self, *_, **__: self)
    torch.Tensor.pin_memory = lambda self, *_, **__: self
    torch.Tensor.record_stream = lambda self, *_, **__: None


def _generators(torch: Any, kind: Kind) -> Any:
    """What replaces ``torch.Generator``: its generators are those of the CPU."""
    known = torch.Generator

    class Proxy(type(known)):  # type: ignore[misc]
        def __call__(cls, device: Any = "cpu") -> Any:
            return known(kind.on_cpu(torch, device))

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, known)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, known)

    return Proxy("Generator", (), {"__module__": "torch"})
