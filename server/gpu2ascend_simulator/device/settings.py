"""What is chosen before the first tensor is made."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_MEMORY = 2 << 30


@dataclass
class Settings:
    """The simulated machine.

    Attributes:
        devices: how many devices are visible where the environment does not choose among them.
        devices_of_host: how many there are to choose among; 0 for as many.
        memory_per_device: bytes of memory of each.
        typed_out_of_memory: whether exhausted memory raises `torch.OutOfMemoryError`, as torch_npu does
            from 2.6 on, rather than a plain `RuntimeError`.
    """

    devices: int = 2
    memory_per_device: int = DEFAULT_MEMORY
    typed_out_of_memory: bool = True
    devices_of_host: int = 0


CURRENT = Settings()
