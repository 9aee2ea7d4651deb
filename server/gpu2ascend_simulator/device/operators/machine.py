"""What operators need of the device whose tensors they are given; whoever makes the device sets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Machine:
    """The functions of one device.

    Attributes:
        on_host: a tensor of the CPU on the memory of a tensor of the device.
        to_read: the same for an operator that only reads.
        on_device: a tensor of the device of an index with the values of a tensor of the CPU.
        become: gives a tensor of the device the shape and the values of a tensor of the CPU.
        part_of: a view of a tensor of the device: its size, strides and offset.
        current_device: the index of this thread's device.
        draw: runs an operator that draws random numbers, by the generator of a device.
    """

    on_host: Callable[[Any], Any]
    to_read: Callable[[Any], Any]
    on_device: Callable[[Any, int], Any]
    become: Callable[[Any, Any], None]
    part_of: Callable[[Any, Any, Any, int], Any]
    current_device: Callable[[], int]
    draw: Callable[[Any, int, Any, Any], Any]


MACHINE = Machine()
