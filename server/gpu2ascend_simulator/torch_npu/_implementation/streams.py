"""The streams and events of this run: simulated ones, or idle ones where the device is mapped to the CPU."""

from __future__ import annotations

import importlib
from types import ModuleType

from gpu2ascend_simulator.on_cpu.needed import IS_MAPPED

module: ModuleType = importlib.import_module(
    "gpu2ascend_simulator.on_cpu.idle" if IS_MAPPED else "torch_npu._implementation.stream_api"
)
