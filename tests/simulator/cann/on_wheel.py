"""Runs pytest on a file of the battery with torch_npu itself, on the emulated CANN: a program of its own.

The battery is written for the device in Python; what it asks of that directly, torch.npu answers here.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
import torch_npu  # noqa: F401 - it makes the device

from gpu2ascend_simulator.cann.start import begin
from gpu2ascend_simulator.device import library, standalone


def _default_generator(index: int) -> Any:
    return torch.npu.default_generators[torch.npu.current_device() if index < 0 else index]


def _stand_in() -> None:
    named: Any = library
    named.current_device = torch.npu.current_device
    named.set_device = torch.npu.set_device
    named.default_generator = _default_generator
    named.memory_stats = torch.npu.memory_stats
    named.reset_peak_memory_stats = torch.npu.reset_peak_memory_stats
    named.set_memory_fraction = lambda index, share: torch.npu.set_per_process_memory_fraction(share, index)
    device: Any = standalone
    device.start = lambda memory=0: torch.npu
    device.device = torch.npu.device


if __name__ == "__main__":
    begin({}, compares=False)
    _stand_in()
    sys.exit(pytest.main(sys.argv[1:]))
