"""The device, made when torch_npu is imported."""

from __future__ import annotations

import os

import torch

from gpu2ascend_simulator.device import library as library
from gpu2ascend_simulator.device.restrictions import Restriction, restrict
from gpu2ascend_simulator.without_cuda import take_cuda_away

from ._version import FACTS, VERSION

take_cuda_away(torch)
_given = os.environ.get("GPU2ASCEND_NPU_COUNT")
_ranks = os.environ.get("LOCAL_WORLD_SIZE", "")
_count = int(_given) if _given else max(2, int(_ranks) if _ranks.isdecimal() else 0)
library.configure(
    _count,
    int(os.environ.get("GPU2ASCEND_NPU_MEMORY", str(2 << 30))),
    VERSION >= (2, 6),
    _count if _given else max(8, _count),
)
restrict(
    Restriction(f"aten::{operator}", frozenset(limit["dtypes"]), raises=limit["raises"])
    for operator, limit in FACTS["limits"].items()
)
