"""Generators of the device. Each has the state of a generator of the CPU, with which it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..devices.current import current_device, device_count, use_device
from .states import put_state, state_of

_of_torch = torch.Generator


_addresses: set[int] = set()
"""Where torch keeps the generators of the device: what it hands to an operator is not the same object."""


def is_of_device(generator: Any) -> bool:
    """Whether a generator is one of the device."""
    return generator._cdata in _addresses


class DeviceGenerator(torch.Generator):
    """A generator that says it is the device's."""

    def __new__(cls, index: int) -> Any:
        """A generator of device ``index``, with torch's usual seed."""
        made = super().__new__(cls, device="cpu")
        made._index = index
        _addresses.add(made._cdata)
        return made

    def __init__(self, index: int) -> None:
        """Nothing is left to do."""

    def __del__(self, forget: Callable[[int], None] = _addresses.discard) -> None:
        """Forgets the address, which another generator may get."""
        forget(self._cdata)

    @property
    def device(self) -> Any:
        """The device."""
        return torch.device("npu", self._index)

    def clone_state(self) -> Any:
        """Another generator of the device in the same state."""
        return _restored(self._index, inner_state(self))

    def get_state(self) -> Any:
        """The state as the device has it: a seed and an offset."""
        return state_of(self)

    def set_state(self, state: Any) -> Any:
        """Go on from a state of a generator of the device."""
        put_state(self, state)
        return self

    def __reduce__(self) -> Any:
        """By the state of the generator behind it, which another process does not remember."""
        return _restored, (self._index, inner_state(self))


def _restored(index: int, state: Any) -> Any:
    made = DeviceGenerator(index)
    torch._C.Generator.set_state(made, state)
    return made


def inner_state(generator: Any) -> Any:
    """The whole state of the generator of the CPU behind one of the device."""
    return torch._C.Generator.get_state(generator)


class _Generator(type(_of_torch)):  # type: ignore[misc]
    """The type of what replaces `torch.Generator`: it makes generators of the device too."""

    def __call__(cls, device: Any = "cpu") -> Any:
        device = torch.device(device)
        if device.type != "npu":
            return _of_torch(device)
        index = current_device() if device.index is None else device.index
        use_device(index)
        return DeviceGenerator(index)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _of_torch)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _of_torch)


Generator = _Generator("Generator", (), {"__module__": "torch"})

_default: dict[int, Any] = {}


def default_generator(index: int) -> Any:
    """The generator that a device draws from by default; of the current device if the index is negative."""
    if index < 0:
        index = current_device()
    if not 0 <= index < device_count():
        use_device(index)
    if index not in _default:
        _default[index] = DeviceGenerator(index)
    return _default[index]


def share_with_cpu() -> None:
    """Lets every device draw from the generator of the CPU.

    So the numbers are those of the same program on the CPU alone, with which it is to be compared.
    """
    for index in range(device_count()):
        _default[index] = torch.default_generator
