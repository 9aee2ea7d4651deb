"""One call of an operator: its arguments on the way to the CPU, its results on the way back."""

from __future__ import annotations

from typing import Any

import torch

from ..restrictions import meet
from .machine import MACHINE
from .mixing import refuse
from .plans import Plan

_Tensor = torch.Tensor
_HOST = torch.device("cpu")


class Call:
    """The arguments of one call.

    Attributes:
        device: the device that it works on, once a tensor or an argument has said so.
    """

    __slots__ = ("_elsewhere", "_number", "_originals", "_plan", "device")

    def __init__(self, plan: Plan) -> None:
        """A call without arguments yet."""
        self._plan = plan
        self.device: Any = None
        self._elsewhere: Any = None
        self._number: Any = None
        self._originals: list[tuple[Any, Any]] = []

    def arguments(self, args: Any) -> list[Any]:
        """The arguments by place, on the way to the CPU."""
        given = list(args)
        count = len(given)
        for place in self._plan.object_places:
            if place >= count:
                break
            value = given[place]
            if value is not None:
                given[place] = self.to_host(value)
        return given

    def to_host(self, value: Any) -> Any:
        """An argument, where tensors of the device have become tensors of the CPU on the same memory.

        Raises:
            RuntimeError: tensors are on two devices, or their type is one that the device refuses.
        """
        if isinstance(value, _Tensor):
            return self._tensor_to_host(value)
        if isinstance(value, (list, tuple)):
            return [self.to_host(item) for item in value] if _holds_objects(value) else value
        if isinstance(value, torch.device) and value.type == "npu":
            self.device = self.device or value
            return _HOST
        return value

    def _tensor_to_host(self, value: Any) -> Any:
        device = value.device
        if device != self.device and device.type != "npu":
            if value.dim():
                self._elsewhere = device
            else:
                self._number = device
            return value
        if self.device is None:
            self.device = device
        elif self.device != device:
            refuse(self._plan.name, self.device, device)
        if self._plan.refused and value.dtype in self._plan.refused:
            meet(self._plan.name, value.dtype, self._plan.refused[value.dtype])
        alias = MACHINE.on_host(value) if self._plan.mutates else MACHINE.to_read(value)
        # Torch leaves lazy conjugation and negation to the kernels of some operators, such as products.
        if value.is_conj():
            alias = alias.conj()
        if value.is_neg():
            alias = torch._neg_view(alias)
        self._originals.append((alias, value))
        return alias

    def check(self, first: Any) -> None:
        """Fails where a tensor was left on the CPU.

        Args:
            first: the first argument of the call.

        Raises:
            RuntimeError: it was.
        """
        plan = self._plan
        if not self._originals:
            if plan.takes_generator and (self._elsewhere or self._number) is not None:
                raise RuntimeError("Expected a 'cpu' device type for generator but found 'npu'")
            return
        if self._elsewhere is not None:
            if not (plan.takes_cpu and isinstance(first, _Tensor) and first.device.type == "npu"):
                refuse(plan.name, self.device, self._elsewhere)
        elif self._number is not None and (not plan.takes_cpu_scalar or self._compares_numbers()):
            refuse(plan.name, self.device, self._number)

    def _compares_numbers(self) -> bool:
        return self._plan.compares and not any(original.dim() for _, original in self._originals)

    def from_host(self, result: Any) -> Any:
        """A result, where tensors of the CPU have become tensors of the device."""
        if isinstance(result, _Tensor):
            return self._tensor_from_host(result)
        if isinstance(result, (list, tuple)):
            return type(result)(map(self.from_host, result))
        return result

    def _tensor_from_host(self, result: Any) -> Any:
        if self._plan.makes_new or result.layout is not torch.strided:
            return MACHINE.on_device(result, self.device.index)
        memory = result.untyped_storage()
        for alias, original in self._originals:
            if result is alias:
                return original
        for alias, original in self._originals:
            if alias.untyped_storage() is memory and memory.nbytes() and alias.dtype == result.dtype:
                return MACHINE.part_of(original, result.shape, result.stride(), result.storage_offset())
        return MACHINE.on_device(result, self.device.index)

    def settle(self) -> None:
        """Passes on that the operator has given an argument another shape or other memory."""
        for alias, original in self._originals:
            if alias.shape != original.shape or alias.stride() != original.stride():
                MACHINE.become(original, alias)


def _holds_objects(values: Any) -> bool:
    return any(value is not None and not isinstance(value, (int, float)) for value in values)
