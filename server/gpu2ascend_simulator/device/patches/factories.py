"""Functions of torch that make tensors, where C++ would not know what the device is asked for.

They are asked for a device without an index, which is the thread's current one; for pinned memory; and
for numbers of a generator that must be the result's device's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.jit._builtins
import torch.utils._device

from ..devices.current import current_device
from ..randomness.generators import is_of_device

_MAKERS = [
    "empty",
    "zeros",
    "ones",
    "full",
    "rand",
    "randn",
    "randint",
    "randperm",
    "arange",
    "linspace",
    "logspace",
    "eye",
    "tensor",
    "as_tensor",
    "asarray",
    "normal",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "rand_like",
    "randn_like",
    "randint_like",
    "bernoulli",
    "multinomial",
    "poisson",
]
_MEMBERS = ["new_tensor", "new_empty", "new_zeros", "new_ones", "new_full"]
_METHODS = [
    "normal_",
    "uniform_",
    "random_",
    "exponential_",
    "bernoulli_",
    "cauchy_",
    "geometric_",
    "log_normal_",
    "bernoulli",
    "multinomial",
]


def _indexed(device: Any) -> Any:
    """A device as asked for, with the index of the current one if it has none."""
    if isinstance(device, (str, torch.device)):
        found = torch.device(device)
        if found.type == "npu" and found.index is None:
            return torch.device("npu", current_device())
    return device


def _checked(generator: Any, result: Any) -> Any:
    if is_of_device(generator) and result.device.type != "npu":
        raise RuntimeError(f"Expected a '{result.device.type}' device type for generator but found 'npu'")
    return result


def _maker(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return original(*args)
        if "device" in kwargs and current_device():
            kwargs["device"] = _indexed(kwargs["device"])
        generator = kwargs.get("generator")
        pinned = kwargs.pop("pin_memory", False)
        result = original(*args, **kwargs)
        if generator is not None:
            _checked(generator, result)
        return result.pin_memory() if pinned else result

    return make


def _method(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("generator") is not None:
            _checked(kwargs["generator"], self)
        return original(self, *args, **kwargs)

    return draw


def _member(original: Callable[..., Any]) -> Callable[..., Any]:
    """One that makes a tensor like another: on its device, if no other is asked for."""
    make = _maker(original)

    @functools.wraps(original)
    def make_like(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.device.type == "npu":
            kwargs.setdefault("device", self.device)
        return make(self, *args, **kwargs)

    return make_like


def _mover(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        if current_device():
            args = (_indexed(args[0]), *args[1:]) if args else args
            if "device" in kwargs:
                kwargs["device"] = _indexed(kwargs["device"])
        return original(self, *args, **kwargs)

    return to


class _ContextDevice:
    """The device that a context gives to what is made inside: with the index of the current one."""

    def __get__(self, context: Any, _: Any) -> Any:
        return _indexed(vars(context)["device"])

    def __set__(self, context: Any, device: Any) -> None:
        vars(context)["device"] = device


def install() -> None:
    """Changes the functions."""
    # Torch remembers the functions that heed its default device; they must be the original ones.
    torch.utils._device._device_constructors()
    torch.utils._device.DeviceContext.device = _ContextDevice()
    for name in _MAKERS:
        original = getattr(torch, name)
        made = _maker(original)
        setattr(torch, name, made)
        if (scripted := torch.jit._builtins._find_builtin(original)) is not None:
            torch.jit._builtins._register_builtin(made, scripted)
    for name in _MEMBERS:
        setattr(torch.Tensor, name, _member(getattr(torch.Tensor, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, _method(getattr(torch.Tensor, name)))
    torch.Tensor.to = _mover(torch.Tensor.to)
