"""What is mapped to the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple


class Kind(NamedTuple):
    """A kind of device.

    Attributes:
        device: its type, as ``torch.device`` has it.
        backend: the name of its communication back end.
        number: how many of them there are.
    """

    device: str
    backend: str
    number: int

    def is_of(self, torch: Any, value: Any) -> bool:
        """Whether a value is a device of this kind, or the text of one."""
        if isinstance(value, str):
            return value == self.device or value.startswith(f"{self.device}:")
        return isinstance(value, torch.device) and value.type == self.device

    def on_cpu(self, torch: Any, value: Any) -> Any:
        """The CPU in place of such a device, a type of the CPU for the name of a tensor's type."""
        if self.is_of(torch, value):
            return "cpu"
        if isinstance(value, str) and value.startswith(f"torch.{self.device}."):
            return f"torch.{value.rpartition('.')[2]}"
        return value

    def device_on_cpu(self, torch: Any, value: Any) -> Any:
        """What is given as a device, where a number is that of a device, too."""
        return "cpu" if type(value) is int else self.on_cpu(torch, value)


CUDA = Kind("cuda", "nccl", 1)
