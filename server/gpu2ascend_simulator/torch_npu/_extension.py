"""The device, made when torch_npu is imported."""

from __future__ import annotations

import os

from gpu2ascend_simulator.device import library as library
from gpu2ascend_simulator.device.restrictions import Restriction, restrict

from ._version import FACTS, VERSION

library.configure(
    int(os.environ.get("GPU2ASCEND_NPU_COUNT", "2")),
    int(os.environ.get("GPU2ASCEND_NPU_MEMORY", str(2 << 30))),
    VERSION >= (2, 6),
)
restrict(
    Restriction(f"aten::{operator}", frozenset(limit["dtypes"]), raises=limit["raises"])
    for operator, limit in FACTS["limits"].items()
)
